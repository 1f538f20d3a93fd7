/** The one thing repair may add, where a call has no result or an error says nothing. */
export const noResult = 'no result recorded';
