/**
 * Clients for providers: models that are reached over the network, by name.
 *
 * @module
 */
export {};
