import { visible } from '../plain.ts';
import type { PlannedCall } from './call.ts';
import type { Desk } from './effect-context.ts';
import { madeUp, unsettled } from './results.ts';
import { type CallEnd, runCall } from './run-call.ts';

/** Runs the calls of a batch at once. Results go into the log in the order of the calls, each as soon as it can. */
export async function actOn({
  desk,
  calls,
}: {
  readonly desk: Desk;
  readonly calls: readonly PlannedCall[];
}): Promise<void> {
  const ends = calls.map((planned) => runCall({ desk, planned }));
  // One that fails while another is waited for must not end the process; it fails again where it is waited for.
  for (const end of ends) end.catch(() => undefined);
  for (const [index, planned] of calls.entries()) {
    const end = await ends[index];
    if (end) await record({ desk, planned, end });
  }
}

/** Gives calls that did not run a result that says so. */
export async function settle({
  desk,
  calls,
  why,
}: {
  readonly desk: Desk;
  readonly calls: readonly PlannedCall[];
  readonly why: 'aborted' | 'interrupted';
}): Promise<void> {
  for (const planned of calls) {
    const { call, input } = planned;
    const text = unsettled({ planned, why });
    desk.tell({
      type: 'tool_start',
      callId: call.id,
      tool: call.name,
      input,
      summary: visible(`${call.name} (${why})`),
    });
    await record({ desk, planned, end: { message: madeUp({ call, text }), isError: true, text, ms: 0 } });
  }
}

async function record(of: {
  readonly desk: Desk;
  readonly planned: PlannedCall;
  readonly end: CallEnd;
}): Promise<void> {
  const { desk, planned, end } = of;
  const { message, ...told } = end;
  const { id: entry } = await desk.session.append({ type: 'message', message });
  const { call } = planned;
  desk.tell({ type: 'tool_end', callId: call.id, tool: call.name, ...told, entry });
}
