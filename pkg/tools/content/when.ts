import { z } from 'zod';
import { instantOfLocal, localText } from '../../domain/content/wall-clock.ts';
import { isNamedTimezone } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput } from '../errors.ts';
import { iso } from '../times.ts';

const DAY_MS = 86_400_000;
/** Source: catalog svc_schedule_content_post. */
const FURTHEST_MS = 365 * DAY_MS;

const TIME = z.iso.datetime({ offset: true, local: true });

/** When a post goes out: with an offset an instant, which never moves; without one the wall clock of a zone. */
export const whenParam = z
  .string()
  .refine((given) => TIME.safeParse(given).success, {
    message:
      'must be an ISO 8601 date and time: with an offset (2026-03-01T09:00:00Z) an instant, without one the local time',
  })
  .meta({ format: 'date-time' });

export const timezoneParam = z
  .string()
  .min(1)
  .max(60)
  .optional()
  .describe('IANA zone of a scheduledAt without offset; default: that of the account.');

/** A time that was meant. */
export interface When {
  /** Epoch ms. */
  at: number;
  localAt: string | null;
  /** Null: that of the account, whichever it becomes. */
  timezone: string | null;
  /** The time that its clock skips; null: it shows what was given. */
  adjustedFrom: string | null;
}

/** Reads a time. @param accountId whose zone counts where none is given @throws UserError when it is no time, or lies behind or too far ahead */
export async function whenOf(
  tx: Tx,
  given: { scheduledAt: string; timezone?: string | undefined },
  accountId: string,
  now: number,
): Promise<When> {
  const { timezone } = given;
  if (timezone !== undefined && !isNamedTimezone(timezone))
    throw invalidInput('timezone', 'must be an IANA name, for example Europe/Berlin');
  const local = localText(given.scheduledAt);
  const when: When =
    local === null
      ? { at: Date.parse(given.scheduledAt), localAt: null, timezone: null, adjustedFrom: null }
      : await localWhen(tx, local, timezone, accountId);
  if (when.at <= now) throw invalidInput('scheduledAt', `must lie in the future, after ${iso(now)}`);
  if (when.at > now + FURTHEST_MS) throw invalidInput('scheduledAt', 'must be within 365 days');
  return when;
}

async function localWhen(tx: Tx, local: string, timezone: string | undefined, accountId: string): Promise<When> {
  const { at, adjusted } = instantOfLocal(local, timezone ?? (await zoneOfAccount(tx, accountId)));
  return { at, localAt: local, timezone: timezone ?? null, adjustedFrom: adjusted === 'gap' ? local : null };
}

/** The zone of an account; UTC where it is gone. */
export async function zoneOfAccount(tx: Tx, accountId: string): Promise<string> {
  const row = await tx.row<{ timezone: string }>('select timezone from network_account where id = $1', [accountId]);
  return row?.timezone ?? 'UTC';
}
