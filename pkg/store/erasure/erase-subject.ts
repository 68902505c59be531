import { type Aliases, aliasNeedles, aliasPattern, mailsPattern } from '../../domain/alias-pattern.ts';
import { type Identifiable, identitiesOf } from '../../domain/erased-identity.ts';
import { mailIdentity } from '../../domain/mail-identity.ts';
import { memberNumber, profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import { wakeWorkspace } from '../runs/wake.ts';
import { type Certificate, certify, findCertificate } from './certificates.ts';
import { eraseLeadRows } from './erasure.ts';

/** By what a person is named who is to be erased: one of them. */
export interface SubjectName {
  email?: string | undefined;
  profileUrl?: string | undefined;
  leadId?: string | undefined;
}

/** What an erasure finds, or found. */
export interface SubjectFindings {
  /** Rows by table. */
  stores: Record<string, number>;
  /** Rows that name the person and stay, with why, by table. */
  kept: Record<string, number>;
  /** Resources whose spec names the person: their rows follow the spec, which is changed on the Kubernetes API. */
  resources: { kind: 'Workspace' | 'Campaign' | 'Workflow'; id: string; workspaceId: string }[];
  /** Sends that keep their words until their outcome is known. */
  pending: number;
}

/** A subject whose names are known. */
export interface Subject {
  /** What the person is recognised by when they come back. */
  identities: string[];
  /** By what workspaces know the person in records of their own: each bars them there alone. */
  own: { workspaceId: string; identities: string[] }[];
  /** Regular expression of the names, for texts; null: none. */
  pattern: string | null;
  /** One for all workspaces, then one for each workspace that knows further names. */
  parts: Part[];
}

interface Part {
  workspaceId: string | null;
  mails: string[];
  profiles: string[];
  leads: string[];
  /** app.erasure_subject in its text form: what it finds stays what was found. */
  row: string;
}

interface LeadRow {
  id: string;
  workspace_id: string | null;
  full_name: string;
  company: string;
  email: string | null;
  profile_url: string;
}

/**
 * Finds a person by a name and by what the records say that stand for them: of a record of the shared pool, and of a lead that is
 * named by its id, every name counts everywhere; a name that stands beside it in a workspace's own record counts there alone, so
 * that no workspace decides who is erased elsewhere. For a platform transaction.
 * @returns null when `leadId` is no lead
 */
export async function findSubject(tx: Tx, name: SubjectName): Promise<Subject | null> {
  const named = await namedLead(tx, name.leadId);
  if (name.leadId !== undefined && !named) return null;
  const given: Identifiable = named ?? {
    fullName: '',
    company: '',
    email: name.email ?? null,
    profileUrl: name.profileUrl ?? '',
  };
  const first = namesOf([given]);
  const leads = named ? [named.id] : [];
  const found = await leadsOf(tx, await subjectRow(tx, null, first, leads));
  const shared = found.filter((lead) => lead.workspace_id === null || leads.includes(lead.id));
  const everywhere = namesOf([given, ...shared.map(identifiable)]);
  const whole = await subjectRow(tx, null, everywhere, leads);
  const all = await leadsOf(tx, whole);
  const parts: Part[] = [{ workspaceId: null, ...everywhere, leads, row: whole }];
  const inWorkspaces: Subject['own'] = [];
  for (const [workspaceId, own] of byWorkspace(all)) {
    inWorkspaces.push({ workspaceId, identities: [...new Set(own.map(identifiable).flatMap(identitiesOf))] });
    const names = namesOf(own.map(identifiable));
    const more = {
      mails: names.mails.filter((mail) => !everywhere.mails.includes(mail)),
      profiles: names.profiles.filter((profile) => !everywhere.profiles.includes(profile)),
    };
    if (more.mails.length + more.profiles.length === 0) continue;
    const ids = own.map((lead) => lead.id);
    parts.push({ workspaceId, ...more, leads: ids, row: await subjectRow(tx, workspaceId, more, ids) });
  }
  const identities = [given, ...shared.map(identifiable)].flatMap(identitiesOf);
  const pattern = aliasPattern({ ...everywhere, ids: [] });
  return { identities: [...new Set(identities)], own: inWorkspaces, pattern, parts };
}

/** Counts what an erasure would take, table by table. For a platform transaction. */
export async function countSubject(tx: Tx, subject: Subject): Promise<SubjectFindings> {
  const stores = await overTables(tx, subject, (part, table) =>
    tx.row<{ n: number }>('select app.count_erasable($1::app.erasure_subject, $2) as n', [part.row, table]),
  );
  return { stores, ...(await besides(tx, subject)) };
}

/**
 * Erases a person everywhere, bars that they come back, and certifies it. What an earlier erasure certified stays its certificate,
 * also when something was found again. For a platform transaction.
 */
export async function eraseSubject(
  tx: Tx,
  subject: Subject,
  { id, by, now }: { id: string; by: string; now: number },
): Promise<SubjectFindings & { certificate: Certificate; erasureId: string }> {
  const [whole] = subject.parts;
  const findings = await countSubject(tx, subject);
  const earlier = await earlierCertificate(tx, subject);
  const erasureId = earlier?.id ?? id;
  for (const part of subject.parts) await eraseByWorkspace(tx, part, now);
  const persons = await tx.row<{ ids: string[] }>('select ($1::app.erasure_subject).persons as ids', [whole?.row]);
  await overTables(tx, subject, (part, table) =>
    tx.row<{ n: number }>('select app.erase_table($1::app.erasure_subject, $2, $3) as n', [part.row, table, now]),
  );
  await tx.exec('select app.bar_erased($1, $2, $3, $4)', [subject.identities, persons?.ids ?? [], erasureId, now]);
  for (const { workspaceId, identities } of subject.own)
    await tx.exec('select app.bar_erased_in($1, $2, $3, $4)', [workspaceId, identities, erasureId, now]);
  if (earlier) return { ...findings, certificate: earlier.certificate, erasureId };
  const says = {
    erasedAt: new Date(now).toISOString(),
    by,
    identities: await hashesOf(tx, subject.identities),
    stores: findings.stores,
    kept: findings.kept,
    pending: findings.pending,
  };
  return { ...findings, certificate: await certify(tx, { id, kind: 'erasure', subject: '', says, now }), erasureId };
}

/** The certificate of an erasure of this person that was made before. For a platform transaction. */
export async function earlierCertificate(
  tx: Tx,
  { identities }: Pick<Subject, 'identities'>,
): Promise<{ id: string; certificate: Certificate } | undefined> {
  const row = await tx.row<{ id: string | null }>('select app.certificate_of($1) as id', [identities]);
  if (!row?.id) return undefined;
  const certificate = await findCertificate(tx, { id: row.id });
  return certificate && { id: row.id, certificate };
}

async function namedLead(tx: Tx, leadId: string | undefined): Promise<(Identifiable & { id: string }) | undefined> {
  if (leadId === undefined) return undefined;
  const row = await tx.row<LeadRow>(
    `select id, workspace_id, full_name, company, email, profile_url from lead where id::text = lower($1)`,
    [leadId],
  );
  return row && { id: row.id, ...identifiable(row) };
}

function identifiable(lead: LeadRow): Identifiable {
  return { fullName: lead.full_name, company: lead.company, email: lead.email, profileUrl: lead.profile_url };
}

/** Addresses as they are written and as mailboxes, and ids of profiles. */
function namesOf(persons: readonly Identifiable[]): { mails: string[]; profiles: string[] } {
  const mails = persons.flatMap(({ email }) => {
    const written = email?.trim().toLowerCase() ?? '';
    return written === '' ? [] : [written, mailIdentity(written) ?? written];
  });
  const profiles = persons.flatMap(({ profileUrl }) => [profileId(profileUrl), memberNumber(profileUrl)]);
  const known = profiles.filter((id) => id !== null && id !== '');
  return { mails: [...new Set(mails)], profiles: [...new Set(known.map(String))] };
}

function byWorkspace(leads: readonly LeadRow[]): Map<string, LeadRow[]> {
  const own = new Map<string, LeadRow[]>();
  for (const lead of leads) {
    if (lead.workspace_id !== null) own.set(lead.workspace_id, [...(own.get(lead.workspace_id) ?? []), lead]);
  }
  return own;
}

/** Everything about the names, as the database finds it now. */
async function subjectRow(
  tx: Tx,
  workspaceId: string | null,
  { mails, profiles }: { mails: string[]; profiles: string[] },
  leads: readonly string[],
): Promise<string> {
  const identities = mails.flatMap((mail) => mailIdentity(mail) ?? []);
  const names: Aliases = { mails: [...new Set(identities)], profiles, ids: [] };
  const found = await tx.row<{ leads: string[]; providers: string[] }>(
    `select (s).leads as leads, array(
       select distinct r.provider_id
       from relation r
       where r.person_id = any ((s).persons) and r.provider_id <> '' and r.provider_id not like 'erased:%'
     ) as providers
     from app.erasure_subject_of($1, $2, $3, $4, $5) s`,
    [workspaceId, mails, mailsPattern(names.mails), profiles, leads],
  );
  const ids = workspaceId === null ? (found?.providers ?? []) : [];
  const row = await tx.row<{ row: string }>(
    `select row(
       (s).workspace_id, (s).leads, (s).persons, (s).runs, (s).sends, (s).conversations, (s).profiles, (s).mails,
       (s).accounts, (s).users, $6::text, $7::text, $8::text[]
     )::app.erasure_subject::text as row
     from app.erasure_subject_of($1, $2, $3, $4, $5) s`,
    [
      ...[workspaceId, mails, mailsPattern(names.mails), profiles, leads],
      aliasPattern({ ...names, ids }),
      aliasPattern({ ...names, ids: [...ids, ...(found?.leads ?? [])] }),
      aliasNeedles({ ...names, ids: [...ids, ...(found?.leads ?? [])] }),
    ],
  );
  if (!row) throw new Error('a function that answers a row answered none');
  return row.row;
}

function leadsOf(tx: Tx, row: string): Promise<LeadRow[]> {
  return tx.rows<LeadRow>(
    `select id, workspace_id, full_name, company, email, profile_url
     from lead
     where id = any (($1::app.erasure_subject).leads)
     order by id limit 10000`,
    [row],
  );
}

/** Ends what runs about the person in each workspace, and what belongs to it: app.erase_lead knows how. */
async function eraseByWorkspace(tx: Tx, part: Part, now: number): Promise<void> {
  const held = await tx.rows<{ workspace_id: string; lead_id: string }>(
    `with l as materialized (select unnest(($1::app.erasure_subject).leads) as id)
     select x.workspace_id, x.id as lead_id from lead x join l on l.id = x.id where x.workspace_id is not null
     union
     select r.workspace_id, r.lead_id from run r join l on l.id = r.lead_id
     union
     select o.workspace_id, o.lead_id from lead_overlay o join l on l.id = o.lead_id
     union
     select m.workspace_id, m.lead_id from lead_list_member m join l on l.id = m.lead_id
     union
     select c.workspace_id, c.lead_id from campaign_lead c join l on l.id = c.lead_id
     order by 1, 2`,
    [part.row],
  );
  for (const { workspace_id: workspaceId, lead_id: leadId } of held) {
    const counts = await eraseLeadRows(tx, { workspaceId, leadId, now, keep: true });
    if ((counts?.['runsCancelled'] ?? 0) > 0) await wakeWorkspace(tx, workspaceId, now, 'a person was erased');
  }
}

/** Asks or erases table by table, each in a statement of its own. @returns the tables of which there was something */
async function overTables(
  tx: Tx,
  { parts }: Pick<Subject, 'parts'>,
  one: (part: Part, table: string) => Promise<{ n: number } | undefined>,
): Promise<Record<string, number>> {
  const stores: Record<string, number> = {};
  const tables = await tx.rows<{ name: string }>('select name from app.marked_tables() as name order by 1');
  for (const part of parts) {
    for (const { name } of tables) {
      const n = (await one(part, name))?.n ?? 0;
      const store = name.replace(/^outrider\./, '');
      if (n > 0) stores[store] = (stores[store] ?? 0) + n;
    }
  }
  return stores;
}

/** What names the person and is not erased with the rows. */
async function besides(tx: Tx, { parts, pattern }: Subject): Promise<Omit<SubjectFindings, 'stores'>> {
  const [whole] = parts;
  const kept: Record<string, number> = {};
  const users = await tx.row<{ n: number }>(`select count(*)::int as n from app_user where email ~* $1`, [pattern]);
  if (users && users.n > 0) kept['app_user'] = users.n;
  const log = await tx.row<{ n: number }>(
    `select count(*)::int as n from audit_event where change ->> 'reason' ~* $1 and not change ? 'reasonHash'`,
    [pattern],
  );
  if (log && log.n > 0) kept['audit_event'] = log.n;
  const pending = await tx.row<{ n: number }>(
    `select count(*)::int as n
     from send
     where run_id = any (($1::app.erasure_subject).runs) and state in ('dispatched', 'unknown') and not maybe`,
    [whole?.row],
  );
  return { kept, resources: await namingResources(tx, pattern), pending: pending?.n ?? 0 };
}

function namingResources(tx: Tx, pattern: string | null): Promise<SubjectFindings['resources']> {
  if (pattern === null) return Promise.resolve([]);
  return tx.rows(
    `select 'Workspace' as kind, id, id as "workspaceId"
     from workspace
     where deleted_at is null and (name || settings::text) ~* $1
     union all
     select 'Campaign', id, workspace_id
     from campaign
     where deleted_at is null and (title || ' ' || goal || ' ' || description || settings::text) ~* $1
     union all
     select 'Workflow', w.id, w.workspace_id
     from workflow w
     left join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
     where w.deleted_at is null and (w.name || ' ' || coalesce(g.graph::text, '')) ~* $1
     order by 1, 2 limit 1000`,
    [pattern],
  );
}

async function hashesOf(tx: Tx, identities: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ hash: string }>(
    `select encode(h, 'hex') as hash from app.platform_hashes($1) h order by 1`,
    [identities],
  );
  return rows.map((row) => row.hash);
}
