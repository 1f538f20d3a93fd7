import type { JsonObject } from '../../json.ts';
import type { Source } from '../export/source.ts';
import { surveyOf } from '../export/survey.ts';
import { withNext } from '../lines/with-next.ts';
import { createTally } from '../tally.ts';
import { createEvents, startEvents } from './entry-events.ts';
import { createEnvelopes } from './events.ts';
import { createTurns } from './turns.ts';

/**
 * A session as the events of Copilot and VS Code's chat: the path to where it stands, with tool results and compactions,
 * which the chat itself leaves out of its transcripts. A transcript is one chain, so other branches are not in it.
 *
 * @example
 * for await (const event of writeTranscript(source)) stream.write(`${JSON.stringify(event)}\n`);
 */
export async function* writeTranscript(source: Source): AsyncGenerator<JsonObject> {
  const { header, warnings } = source;
  const survey = await surveyOf(source);
  const tally = createTally({ warnings, why: 'a transcript has no word for them' });
  const enclose = createEnvelopes();
  const turns = createTurns();
  const toEvents = createEvents({ survey, tally });

  for (const event of startEvents({ header, name: survey.summary.name }))
    yield enclose({ event, at: header.createdAt });
  for await (const { item: entry, next } of withNext(source.entries())) {
    if (!survey.isOnPath(entry)) {
      tally.leftOut('entries of other branches');
      continue;
    }
    for (const event of toEvents({ entry, next })) {
      for (const told of turns.around(event)) yield enclose({ event: told, at: entry.at });
    }
  }
  for (const event of turns.end()) yield enclose({ event, at: survey.summary.updatedAt });
  tally.report();
}
