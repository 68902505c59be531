import type { Tx } from '../../../postgres/database.ts';
import { CallError, isForGood } from '../../../providers/call-error.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import { takeList } from '../../../store/integrations/provider-lists.ts';
import type { JobStep } from '../../../store/jobs/background-jobs.ts';
import type { JobContext } from '../../jobs/job-step.ts';
import type { OpenCrm } from './crm-access.ts';
import { fieldMap, type MappedField, type StoredMapping, storedMapping } from './field-map.ts';

/** Product ms until a vendor that is busy is asked again, where it does not say when. */
const REST_MS = 60_000;
/** How often in a row it may ask for patience: with rests of a minute, about eight hours. */
const MOST_WAITS = 500;

/** Product ms until a job looks again whether the pass of another one over its list is over. */
export const PASS_REST_MS = 60_000;

/** Takes a list for a pass of a job. @returns false while another job reads it */
export function takenForPass(context: Pick<JobContext, 'tx'>, listId: string, jobId: string): Promise<boolean> {
  return context.tx((tx) => takeList(tx, listId, jobId));
}

/** How work with a CRM ended early. */
export type Setback =
  /** It is asked again at this time (epoch ms, product time). */
  | { kind: 'rest'; notBefore: number }
  /** It said no. `needsAuth`: to the credentials, and not to what was asked with them. */
  | { kind: 'failed'; error: string; needsAuth: boolean };

/** What a failed request means for the work. @throws what is no answer of the vendor */
export function setbackOf(error: unknown, { waits, now }: { waits: number; now: number }): Setback {
  if (!(error instanceof CallError)) throw error;
  const { kind, message, retryAfterMs = REST_MS } = error;
  if (isForGood(error)) return { kind: 'failed', error: message, needsAuth: kind === 'auth' };
  if (waits >= MOST_WAITS)
    return { kind: 'failed', error: `gave up after ${waits} tries: ${message}`, needsAuth: false };
  return { kind: 'rest', notBefore: now + Math.max(1_000, retryAfterMs) };
}

/** Where work goes whose request failed: it rests, or it is noted with the integration and ends. @param end how it ends, by the vendor's words */
export function afterFailure<W extends { integrationId: string; waits: number }>(
  error: unknown,
  { work, now }: { work: W; now: number },
  end: (tx: Tx, problem: string) => Promise<JobStep>,
): (tx: Tx) => Promise<JobStep> {
  const setback = setbackOf(error, { waits: work.waits, now });
  if (setback.kind === 'rest') {
    const { notBefore } = setback;
    return () => Promise.resolve({ kind: 'rest', work: { ...work, waits: work.waits + 1 }, notBefore });
  }
  return async (tx) => {
    await noteHealth(tx, work.integrationId, setback, now);
    return end(tx, setback.error);
  };
}

/** Where the properties of an open CRM go. @param list mapping of a list, over that of the integration */
export function fieldsOf({ crm, integration }: OpenCrm, list: StoredMapping = {}): MappedField[] {
  const own = storedMapping.safeParse(integration.fieldMapping).data ?? {};
  return fieldMap(crm.lists, { twoWay: integration.twoWay, mappings: [own, list] });
}
