import { isUuid } from '../../base/ids.ts';
import { profileAddress, profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { exportAccount } from '../../store/accounts/connection-exports.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { enterLead } from '../leads/upsert-lead.ts';
import type { ToolContext } from '../tool-context.ts';

/** Whom an action is about. */
export interface TargetLead {
  leadId: string;
  /** Null: nobody has looked for who they are yet. */
  personId: string | null;
}

/** What is known of somebody who is no lead yet. */
export interface Stranger {
  profileUrl: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
}

const COLUMNS = 'select id as "leadId", app.lead_person_of($2, id) as "personId" from lead';

/** A lead of the workspace or of the pool. @throws UserError not found */
export async function requireLead(tx: Tx, workspaceId: string, leadId: string): Promise<TargetLead> {
  const row = isUuid(leadId)
    ? await tx.row<TargetLead>(`${COLUMNS} where id = $1 and erased_at is null and coalesce(workspace_id, $2) = $2`, [
        leadId,
        workspaceId,
      ])
    : undefined;
  if (!row) throw notFound('lead', leadId);
  return row;
}

/** The one who is named by id or by profile; who is no lead yet becomes one, so that exclusions and histories know them. */
export async function namedLead(
  ctx: ToolContext,
  tx: Tx,
  { leadId, profileUrl }: { leadId?: string | undefined; profileUrl?: string | undefined },
): Promise<TargetLead> {
  if ((leadId === undefined) === (profileUrl === undefined))
    throw invalidInput('leadId', 'give either leadId or profileUrl');
  if (leadId !== undefined) return requireLead(tx, ctx.workspaceId, leadId);
  return enterStranger(ctx, tx, { profileUrl: profileUrl ?? '' });
}

/** The lead with this profile, the workspace's own before the pool's; else a new one. */
export async function enterStranger(ctx: ToolContext, tx: Tx, stranger: Stranger): Promise<TargetLead> {
  const known = await tx.row<TargetLead>(
    `${COLUMNS}
     where profile_id = $1 and erased_at is null and coalesce(workspace_id, $2) = $2
     order by workspace_id nulls last limit 1`,
    [profileId(stranger.profileUrl), ctx.workspaceId],
  );
  if (known) return known;
  const { profileUrl, firstName, lastName } = stranger;
  const { leadId } = await enterLead(ctx, tx, {
    profileUrl,
    ...(firstName ? { firstName } : {}),
    ...(lastName ? { lastName } : {}),
  });
  return requireLead(tx, ctx.workspaceId, leadId);
}

/**
 * Asks the network who has this id for the account: somebody who wrote and is no lead.
 * @throws UserError when nobody can say it now
 */
export async function askWhoItIs(ctx: ToolContext, accountId: string, providerId: string): Promise<Stranger> {
  const account = await ctx.tx((tx) => exportAccount(tx, ctx.workspaceId, accountId));
  const provider = account && ctx.providers(account.provider);
  const unknown = wrongState(
    'Nobody knows yet whose conversation this is; enter them as a lead first',
    'svc_upsert_lead',
  );
  if (!account || !provider || providerId === '') throw unknown;
  try {
    const found = await provider.lookupProfile(account, { providerId }, ctx.signal);
    if (found.publicId === '') throw unknown;
    const { firstName, lastName } = found;
    return { profileUrl: profileAddress(found.publicId) ?? '', firstName, lastName };
  } catch (error) {
    if (error instanceof ProviderError) throw unknown;
    throw error;
  }
}
