/**
 * An HTTP gateway in front of model providers: any client's conversation stays inside its model's window.
 *
 * @module
 */
export { type ClientSetting, clientSettings } from './clients.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { ConversationNotes, EndedConversation, GatewayMemory } from './memory.ts';
export type { GatewayLimits, GatewayOptions, GatewayTelemetry } from './options.ts';
export type { RequestAction, RequestRecord } from './report/record.ts';
export type { GatewayTotals } from './report/reporter.ts';
export {
  type ConversationTotals,
  type GatewayReport,
  type RequestTotals,
  readGatewayReport,
} from './report/request-log.ts';
