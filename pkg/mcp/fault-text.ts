import { takesKey } from '../tools/idempotency/key-of-call.ts';
import { isRecorded } from '../tools/idempotency/recorded-call.ts';
import type { AnyTool } from '../tools/tool.ts';

/** What went wrong on our side. */
export type Fault = 'away' | 'met' | 'failed';

/** Seconds after which a call that found no database may be repeated, and one that met another call. */
export const AWAY_SECONDS = 5;
export const MET_SECONDS = 1;

/**
 * What a caller reads of a fault, with the reference under which the log has it. Source: catalog, commonErrors; it advises an
 * idempotencyKey only where the tool takes one.
 */
export function faultText(fault: Fault, tool: AnyTool, reference: string): string {
  const about = `(reference ${reference})`;
  const how = howAgain(tool);
  switch (fault) {
    case 'away':
      return `${tool.name} can not be served now: the database does not answer ${about}. Retry after ${AWAY_SECONDS}s${how}, or call svc_diagnose later.`;
    case 'met':
      return `${tool.name} met another change of the same records and was taken back ${about}. Call it again${how}; it is done then.`;
    case 'failed':
      return `${tool.name} failed on our side ${about}. Retry${how}; if it stays, call svc_diagnose.`;
  }
}

function howAgain(tool: AnyTool): string {
  if (takesKey(tool)) return ' with the same idempotencyKey';
  return isRecorded(tool) ? ' with the same input within a minute, so that nothing is made twice' : '';
}
