import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { readPhone } from '../../domain/identity/phone.ts';
import { readTimezone } from '../../domain/identity/time-zone.ts';
import { companyKey, profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import { erasedAmong } from '../../store/erasure/erasure.ts';
import { keepMatchKeys, lockLeads } from '../../store/leads/imports.ts';
import { addNote, changeTags, MOST_TAGS } from '../../store/leads/lead-overlay.ts';
import { refreshLists } from '../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { mailParam, profileParam } from '../identity-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { erasedError } from './erase-lead.ts';
import { fieldsAfter, keysOf, type LeadFields, type StoredLead, writeFields } from './lead-fields.ts';

const tagList = z.array(z.string()).max(50).optional();
const input = z.strictObject({
  workspaceId: workspaceParam,
  leadId: z.string().min(1).optional(),
  firstName: z.string().max(100).optional(),
  lastName: z.string().max(100).optional(),
  title: z.string().max(200).optional(),
  company: z.string().max(200).optional(),
  companyDomain: z.string().max(253).optional(),
  seniority: z.string().max(50).optional(),
  location: z.string().max(200).optional(),
  timezone: z.string().optional().describe('IANA.'),
  email: mailParam.optional(),
  phone: z.string().max(40).optional(),
  profileUrl: profileParam.optional(),
  customFields: z.record(z.string(), z.unknown()).optional().describe('String values; null removes one.'),
  tags: tagList.describe('Replaces the tags.'),
  addTags: tagList,
  removeTags: tagList,
  note: z.string().max(5_000).optional().describe('Appends a note.'),
});
type Request = z.output<typeof input>;

/** As the node type lead:tag allows. */
const LONGEST_TAG = 60;

export const upsertLead = tool({
  name: 'svc_upsert_lead',
  domain: 'Leads',
  title: 'Create or update lead',
  description:
    "Enters one private lead by hand, or updates one by leadId or by matching email/profileUrl; also sets this workspace's tags and notes on any lead. Next: svc_add_leads_to_list.",
  example: {
    input: { email: 'cy@cedar.example', firstName: 'Cy', company: 'Cedar', note: 'Met at the fair' },
    keep: { otherLeadId: 'leadId' },
  },
  scope: 'leads:write',
  category: 'write',
  // A tag can put the lead into a query list that feeds an enabled workflow, and an address says where a sequence writes.
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({ leadId: z.string(), created: z.boolean(), visibility: z.string() }),
  async run(ctx, request) {
    requireUsable(request);
    return ctx.repeatable<Answer>(ctx.workspaceId, {
      work: (tx, earlier) => upsert(ctx, tx, request, earlier),
      // A lead is found again, and what is set may be set again: only a note would be added twice.
      did: () => Boolean(request.note),
    });
  },
});

interface Answer {
  leadId: string;
  created: boolean;
  visibility: string;
}

/** Enters a lead as the tool does, in the transaction of another one. */
export function enterLead(
  ctx: ToolContext,
  tx: Tx,
  lead: Pick<Request, 'email' | 'profileUrl' | 'firstName' | 'lastName'>,
): Promise<Answer> {
  return upsert(ctx, tx, lead, undefined);
}

/** @param earlier what the same call came to a moment ago: its lead has the note */
async function upsert(ctx: ToolContext, tx: Tx, request: Request, earlier: Answer | undefined): Promise<Answer> {
  await lockLeads(tx, ctx.workspaceId);
  const before = await findLead(tx, ctx.workspaceId, request);
  const same = earlier !== undefined && before?.id === earlier.leadId;
  const leadId = before?.id ?? ctx.ids.uuid();
  const given = profileFields(request);
  if (before?.workspace_id === null && given) {
    throw wrongState('Profile fields of a shared lead cannot be changed, only its tags and notes', 'svc_get_lead');
  }
  if (given || !before) await writeProfile(ctx, tx, leadId, before, request);
  await writeOverlay(ctx, tx, leadId, same ? { ...request, note: undefined } : request);
  await refreshLists(tx, ctx.workspaceId, ctx.clocks.product.now());
  if (given || !before) await markScoresStale(tx, ctx.workspaceId);
  await wakeIfWorking(tx, ctx.workspaceId, ctx.clocks.product.now(), 'a lead was entered');
  return { leadId, created: !before, visibility: before?.workspace_id === null ? 'shared' : 'private' };
}

function requireUsable(request: Request): void {
  for (const list of ['tags', 'addTags', 'removeTags'] as const) {
    const odd = (request[list] ?? []).findIndex((tag) => tag === '' || tag.length > LONGEST_TAG);
    if (odd >= 0) throw invalidInput(`${list}.${odd}`, `must have 1 to ${LONGEST_TAG} characters`);
  }
  const zone = request.timezone ? readTimezone(request.timezone) : null;
  if (zone?.value === null) throw invalidInput('timezone', zone.note);
  const phone = request.phone ? readPhone(request.phone) : null;
  if (phone?.value === null) throw invalidInput('phone', phone.note);
  for (const [name, value] of Object.entries(request.customFields ?? {})) {
    if (!/^[A-Za-z0-9_]{1,60}$/.test(name) || name === '__proto__') {
      throw invalidInput(
        `customFields.${name.slice(0, 60).toWellFormed()}`,
        'a name has 1 to 60 letters, digits and _',
      );
    }
    if (value !== null && (typeof value !== 'string' || value.length > 500)) {
      throw invalidInput(`customFields.${name}`, 'must be a text of at most 500 characters, or null to remove it');
    }
  }
}

const PROFILE = [
  'firstName',
  'lastName',
  'title',
  'company',
  'companyDomain',
  'seniority',
  'location',
  'timezone',
  'email',
  'phone',
  'profileUrl',
  'customFields',
] as const;

/** Whether the request says anything of the person besides who it is and the workspace's own tags and notes. */
function profileFields(request: Request): boolean {
  const identity = request.leadId === undefined ? ['email', 'profileUrl'] : [];
  return PROFILE.some((name) => request[name] !== undefined && !identity.includes(name));
}

/** By id any visible lead; by address or profile, and without either by name and company, a private one. @throws UserError when they name two leads, or none by id */
async function findLead(tx: Tx, workspaceId: string, request: Request): Promise<StoredLead | undefined> {
  if (request.leadId !== undefined) {
    const row = isUuid(request.leadId) ? await byId(tx, workspaceId, request.leadId) : undefined;
    if (!row) throw notFound('lead', request.leadId);
    await requireFree(tx, workspaceId, request, row.id);
    return row;
  }
  if (request.email === undefined && request.profileUrl === undefined) return byName(tx, workspaceId, request);
  const rows = await sameAddress(tx, workspaceId, request);
  if (rows.length > 1) throw invalidInput('email', 'belongs to another lead than profileUrl. Give leadId');
  return rows[0];
}

/** An own lead is locked: all its columns are written, and an enrichment may be writing some of them. */
async function byId(tx: Tx, workspaceId: string, leadId: string): Promise<StoredLead | undefined> {
  const own = await tx.row<StoredLead>(
    'select * from lead where id = $1 and erased_at is null and workspace_id = $2 for update',
    [leadId, workspaceId],
  );
  return (
    own ??
    tx.row<StoredLead>('select * from lead where id = $1 and erased_at is null and workspace_id is null', [leadId])
  );
}

/**
 * Somebody who was entered without an address before: the same call made again makes no second lead. Who has an address is left
 * alone, since a name and a company alone are a weak proof.
 */
async function byName(tx: Tx, workspaceId: string, request: Request): Promise<StoredLead | undefined> {
  const { firstName = '', lastName = '', company = '' } = request;
  const fullName = `${firstName} ${lastName}`.trim();
  const key = companyKey(company);
  if (fullName === '' || key === '') return undefined;
  return tx.row<StoredLead>(
    `select *
     from lead
     where coalesce(workspace_id, '') = $1
       and erased_at is null
       and email is null
       and profile_id is null
       and lower(full_name) = lower($2)
       and company_key = $3
     order by id limit 1 for update`,
    [workspaceId, fullName, key],
  );
}

/** An address or profile that another private lead has is not taken over. */
async function requireFree(tx: Tx, workspaceId: string, request: Request, leadId: string): Promise<void> {
  const other = (await sameAddress(tx, workspaceId, request)).find((row) => row.id !== leadId);
  if (other) throw invalidInput('email', `this address or profile belongs to lead "${other.id}"`);
}

function sameAddress(tx: Tx, workspaceId: string, request: Request): Promise<StoredLead[]> {
  const profile = request.profileUrl === undefined ? null : profileId(request.profileUrl);
  return tx.rows<StoredLead>(
    `select * from lead l where coalesce(l.workspace_id, '') = $1 and l.erased_at is null
       and (lower(l.email) = lower($2) or l.profile_id = $3) order by l.id for update`,
    [workspaceId, request.email ?? null, profile],
  );
}

async function writeProfile(
  ctx: ToolContext,
  tx: Tx,
  leadId: string,
  before: StoredLead | undefined,
  request: Request,
): Promise<void> {
  const { workspaceId } = ctx;
  const now = ctx.clocks.product.now();
  const after: LeadFields = fieldsAfter(before, request);
  const person = { ...after, email: after.email || null };
  if ((await erasedAmong(tx, workspaceId, [person])).size > 0) throw erasedError();
  await writeFields(tx, { leadId, workspaceId, before, after, request, now });
  await keepMatchKeys(tx, workspaceId, [{ id: leadId, matchKeys: keysOf(after) }]);
  await tx.exec('select app.link_companies($1, $2)', [[leadId], now]);
  await tx.exec('select count(*) from app.resolve_persons($1, $2, $3)', [workspaceId, [leadId], now]);
}

async function writeOverlay(ctx: ToolContext, tx: Tx, leadId: string, request: Request): Promise<void> {
  const { tags, addTags, removeTags, note } = request;
  const at = { workspaceId: ctx.workspaceId, leadId };
  const tagged = !(tags || addTags || removeTags) || (await changeTags(tx, at, { tags, addTags, removeTags }));
  if (!tagged) throw wrongState(`The lead would have more than ${MOST_TAGS} tags, which is the most`, 'svc_get_lead');
  if (note === undefined || note === '') return;
  const author = ctx.caller.user?.name || ctx.caller.user?.email || ctx.caller.keyPrefix;
  const kept = await addNote(tx, at, { noteId: ctx.ids.uuid(), text: note, author, at: ctx.clocks.product.now() });
  if (!kept) throw wrongState('The lead has 200 notes already, which is the most', 'svc_get_lead');
}
