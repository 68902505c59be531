import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** A run that wants to give its lead to another workflow. */
export interface HandOffRequest {
  runId: string;
  /** Id of the run that starts there. */
  newRunId: string;
  workflowId: string;
  /** What the new run remembers of the first. */
  facts: JsonObject;
}

export interface HandOffAnswer {
  runId: string;
  newRunId: string | null;
  refusal: 'not_found' | 'already_enrolled' | 'suppressed' | 'claimed' | 'erased' | null;
}

/** Starts a run each in the other workflow, with contact claim, account and history of the first; the runs are locked by `tx`. */
export async function handOff(tx: Tx, now: number, requests: readonly HandOffRequest[]): Promise<HandOffAnswer[]> {
  if (requests.length === 0) return [];
  return tx.rows<HandOffAnswer>(
    'select run_id as "runId", new_run_id as "newRunId", refusal from app.hand_off($1, $2)',
    [now, JSON.stringify(requests)],
  );
}
