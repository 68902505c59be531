import { UserError } from '../../base/errors.ts';
import { mailValue } from '../../domain/exclusion-value.ts';
import type { Tx } from '../../postgres/database.ts';
import { excludedAmong } from '../../store/suppression/excluded-addresses.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { enterLead } from '../leads/upsert-lead.ts';
import { requireLead, type TargetLead } from '../outreach/target-lead.ts';
import type { ToolContext } from '../tool-context.ts';

/** Whom a mail is for. */
export interface Recipient extends TargetLead {
  address: string;
}

/**
 * The lead that is named by id or by address; who is no lead yet becomes one, so that exclusions and histories know them.
 * @throws UserError not found, or without an address
 */
export async function recipientOf(
  ctx: ToolContext,
  tx: Tx,
  { leadId, to }: { leadId?: string | undefined; to?: string | undefined },
): Promise<Recipient> {
  if ((leadId === undefined) === (to === undefined)) throw invalidInput('leadId', 'give either leadId or to');
  const known = leadId ?? (await leadAt(tx, ctx.workspaceId, to ?? ''));
  const lead = await requireLead(tx, ctx.workspaceId, known ?? (await enterLead(ctx, tx, { email: to })).leadId);
  const address = to ?? (await mailOf(tx, lead.leadId));
  if (address === '') throw wrongState('The lead has no mail address', 'svc_enrich_leads');
  return { ...lead, address };
}

/** The mail address of a lead; '': it has none. */
async function mailOf(tx: Tx, leadId: string): Promise<string> {
  const row = await tx.row<{ email: string | null }>('select email from lead where id = $1', [leadId]);
  return row?.email ?? '';
}

/** The lead with this address, the workspace's own before the pool's. */
async function leadAt(tx: Tx, workspaceId: string, address: string): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select id
     from lead
     where coalesce(workspace_id, '') = any (array[$1, ''])
       and lower(email) = lower($2)
       and email is not null
       and erased_at is null
     order by workspace_id nulls last limit 1`,
    [workspaceId, address],
  );
  return row?.id;
}

/** @throws UserError where one of the addresses is excluded, or mails to it came back */
export async function requireAllowed(ctx: ToolContext, tx: Tx, address: string, cc: readonly string[]): Promise<void> {
  const forms = new Map([address, ...cc].map((one) => [mailValue(one) ?? one.toLowerCase(), one]));
  const now = ctx.clocks.product.now();
  const excluded = await excludedAmong(tx, ctx.workspaceId, [...forms.keys()], now);
  const first = excluded.find((one) => !one.bounced) ?? excluded[0];
  if (!first) return;
  const shown = forms.get(first.address) ?? first.address;
  if (first.bounced)
    throw new UserError(`Mails to ${shown} came back before. Call svc_enrich_leads for a newer address.`, 'Bounced');
  throw new UserError(
    `${shown} is suppressed (exclusion, unsubscribe, bounce, complaint or erasure). Call svc_check_signal_exclusion.`,
    'Suppressed',
  );
}
