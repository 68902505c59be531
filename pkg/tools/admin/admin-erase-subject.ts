import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { withoutAliases } from '../../domain/alias-pattern.ts';
import { profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Certificate } from '../../store/erasure/certificates.ts';
import {
  countSubject,
  eraseSubject,
  findSubject,
  isNamedIn,
  type Subject,
  type SubjectFindings,
} from '../../store/erasure/erase-subject.ts';
import { earlierCertificates } from '../../store/erasure/subject-certificates.ts';
import { invalidInput, notFound } from '../errors.ts';
import { mailParam, profileParam } from '../identity-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

const input = z.strictObject({
  email: mailParam.optional(),
  profileUrl: profileParam.optional(),
  leadId: z.string().min(1).optional(),
  dryRun: z.boolean().default(true),
  reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
});
type Request = z.output<typeof input>;

export const adminEraseSubject = tool({
  name: 'svc_admin_erase_subject',
  domain: 'Admin (platform admins only)',
  title: 'Admin: erase data subject',
  description:
    'Erases a person everywhere: shared pool, all workspaces, conversations, imports, backups queue; returns a certificate. Next: svc_admin_list_audit_events.',
  example: { input: { leadId: '$leadId', dryRun: true, reason: 'request 17 of March' }, caller: 'admin' },
  scope: 'admin:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'platform',
  input,
  output: z.object({
    erasureId: z.string().nullable(),
    found: z.record(z.string(), z.unknown()),
    erased: z.boolean(),
    certificate: z.record(z.string(), z.unknown()).nullable(),
  }),
  async run(ctx, request) {
    requireOneSubject(request);
    const done = await ctx.platformTx((tx) => work(ctx, tx, request));
    const { findings, certificate, erasureId, subject } = done;
    const { stores, kept, pending: pendingSends, resources } = findings;
    const named = resources.map(({ kind, id }) => `${kind} ${id}`);
    const found = { stores, kept, pendingSends, resources: named, ...reachOf(ctx, subject) };
    const shown = certificate === undefined ? null : { ...certificate };
    if (request.dryRun)
      return { erasureId, found: { ...found, ...namesIn(subject) }, erased: false, certificate: shown };
    const resourcesLeft = await cutResources(ctx, resources);
    return { erasureId, found: { ...found, resourcesLeft }, erased: true, certificate: shown };
  },
});

/** How far the person goes. Which workspaces they are is for those who may list workspaces. */
function reachOf(ctx: ToolContext, { workspaces }: Subject): { workspaceCount: number; workspaces?: string[] } {
  const isKnown = ctx.caller.scopes.has('admin:read');
  return {
    workspaceCount: workspaces.length,
    ...(isKnown ? { workspaces: workspaces.slice(0, MOST_WORKSPACES) } : {}),
  };
}

/** Listed at most. */
const MOST_WORKSPACES = 100;

/** By what the person is known, before it is erased: afterwards nobody has the words. */
function namesIn({ identities, doubted }: Subject): { identities: string[]; notElsewhere?: string[] } {
  if (doubted.length === 0) return { identities };
  return {
    identities,
    notElsewhere: doubted.map(
      (proof) =>
        `${proof}: records elsewhere show it on somebody else, so that it counts in the lead's own workspace alone`,
    ),
  };
}

interface Done {
  subject: Subject;
  findings: SubjectFindings;
  certificate: Certificate | undefined;
  erasureId: string | null;
}

async function work(ctx: ToolContext, tx: Tx, request: Request): Promise<Done> {
  const subject = await findSubject(tx, request);
  if (!subject) throw notFound('lead', request.leadId ?? '');
  if (isNamedIn(request.reason, subject)) {
    throw invalidInput(
      'reason',
      'names the person; it is kept in the audit log, so give the number of the request instead',
    );
  }
  if (request.dryRun) {
    const { whole } = await earlierCertificates(tx, subject.identities);
    const findings = await countSubject(tx, subject);
    return { subject, findings, certificate: whole?.certificate, erasureId: whole?.id ?? null };
  }
  const by = ctx.caller.user?.id ?? ctx.caller.keyPrefix;
  const done = await eraseSubject(tx, subject, { id: ctx.ids.uuid(), by, now: ctx.clocks.product.now() });
  return { subject, findings: done, certificate: done.certificate, erasureId: done.id };
}

function requireOneSubject({ email, profileUrl, leadId }: Request): void {
  const given = [email, profileUrl, leadId].filter((one) => one !== undefined);
  if (given.length !== 1) throw invalidInput('email', 'exactly one of email, profileUrl and leadId is needed');
  if (profileUrl !== undefined && profileId(profileUrl) === null) {
    throw invalidInput('profileUrl', 'is no profile address');
  }
}

type Named = SubjectFindings['resources'][number];

/** Rows of resources follow their specs: the names are cut there. @returns what could not be changed, with why */
async function cutResources(ctx: ToolContext, resources: readonly Named[]): Promise<string[]> {
  const left: string[] = [];
  for (const { kind, id, workspaceId, pattern } of resources) {
    // Who owns a workspace is no word about somebody: an owner who is erased hands it over first.
    const change = <T extends object>(spec: T): T => ({
      ...withoutAliases(spec, pattern),
      ...('owner' in spec ? { owner: spec.owner } : {}),
    });
    const write = { kind, id, workspaceId, change, finish: async () => ({}) };
    // One that somebody else manages is theirs to change: the answer names it.
    await ctx.resources.update(write).catch((error: unknown) => left.push(`${kind} ${id}: ${messageOf(error)}`));
  }
  return left;
}
