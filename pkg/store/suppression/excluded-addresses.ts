import { mailValue } from '../../domain/exclusion-value.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** An address to which the workspace must not write. */
export interface ExcludedAddress {
  address: string;
  /** Mails to it came back; else somebody excluded it, or its reader wants none. */
  bounced: boolean;
}

/**
 * Which of these mail addresses (in the form of `mailValue`) the workspace must not write to, whether or not there is a lead of them.
 * @param now epoch ms, product time
 */
export async function excludedAmong(
  tx: Tx,
  workspaceId: string,
  addresses: readonly string[],
  now: number,
): Promise<ExcludedAddress[]> {
  if (addresses.length === 0) return [];
  return tx.rows(
    `select a.address, bool_and(e.source = 'bounce') as bounced
     from unnest($2::text[]) a (address)
     cross join lateral app.exclusions_of_address($1, null, a.address, null, null, $3) e
     where e.applies_to = 'all_outreach'
     group by 1
     order by 1`,
    [workspaceId, arrayText(addresses), now],
  );
}

/** Those of these mail addresses, as they are given and in their order, to which the workspace must not write. @param now epoch ms, product time */
export async function barredAmong(
  tx: Tx,
  workspaceId: string,
  emails: readonly string[],
  now: number,
): Promise<string[]> {
  const formOf = (email: string): string => mailValue(email) ?? email;
  const excluded = await excludedAmong(tx, workspaceId, emails.map(formOf), now);
  const barred = new Set(excluded.map(({ address }) => address));
  return emails.filter((email) => barred.has(formOf(email)));
}
