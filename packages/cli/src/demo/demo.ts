import {
  type Conversation,
  check,
  type Dialect,
  dialects,
  type Json,
  type Problem,
  type Repair,
  readConversation,
  repair,
  semanticKey,
} from 'longhaul/message';
import type { Snapshot } from 'longhaul/tokens';
import { accidents, brokenRequest } from './accidents.ts';
import { demoRequest } from './conversation.ts';
import { measure } from './meter.ts';

/** What the demo shows, all of it computed when it runs. */
export interface Demo {
  readonly dialect: Dialect;
  readonly conversation: Conversation;
  /** The conversation in each dialect. */
  readonly conversions: readonly Conversion[];
  readonly accidents: readonly string[];
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
  /** The dialects for which the conversation is legal once it is repaired by their own rules. */
  readonly legalFor: readonly Dialect[];
  /** How the conversation fills a small window, by the ledger. */
  readonly meter: Snapshot;
}

export interface Conversion {
  readonly dialect: Dialect;
  readonly items: number;
  readonly bytes: number;
  /** Whether what was written says the same when it is read again: texts, calls with arguments, results. */
  readonly same: boolean;
}

/**
 * Converts, breaks, finds and repairs a conversation.
 *
 * @example
 * makeDemo().problems.length; // 3
 */
export function makeDemo(): Demo {
  const document = readConversation({ value: demoRequest });
  const { conversation, dialect } = document;
  const broken = readConversation({ value: brokenRequest() }).conversation;
  const repaired = repair(broken.messages, dialect);
  return {
    dialect,
    conversation,
    conversions: dialects.map((target) => {
      const body = document.write({ conversation, dialect: target });
      const again = readConversation({ value: body, dialect: target }).conversation;
      return {
        dialect: target,
        items: itemsIn(body),
        bytes: Buffer.byteLength(JSON.stringify(body)),
        same: String(semanticKey(again.messages)) === String(semanticKey(conversation.messages)),
      };
    }),
    accidents,
    problems: check(broken.messages, dialect),
    repairs: repaired.repairs,
    legalFor: dialects.filter((target) => check(repair(broken.messages, target).messages, target).length === 0),
    meter: measure({ conversation }),
  };
}

function itemsIn(body: Json): number {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const list = members.find(([name]) => name === 'messages' || name === 'input' || name === 'contents')?.[1];
  return Array.isArray(list) ? list.length : 0;
}
