import { type Aliases, aliasNeedles, aliasPattern, mailsPattern } from '../../domain/alias-pattern.ts';
import { type Identifiable, identitiesOf } from '../../domain/erased-identity.ts';
import { mailIdentity } from '../../domain/mail-identity.ts';
import { type SpokenNames, spokenNeedles, spokenPattern } from '../../domain/name-pattern.ts';
import { memberNumber, profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import { wakeWorkspace } from '../runs/wake.ts';
import { countedElsewhere } from './counted-elsewhere.ts';
import { eraseLeadRows } from './erasure.ts';
import { type Certified, certifyErasure, earlierCertificates } from './subject-certificates.ts';

/** By what a person is named who is to be erased: one of them. */
export interface SubjectName {
  email?: string | undefined;
  profileUrl?: string | undefined;
  leadId?: string | undefined;
}

/** A resource whose spec names the person, and the regular expression of what is cut there. */
export interface Naming {
  kind: 'Workspace' | 'Campaign' | 'Workflow';
  id: string;
  workspaceId: string;
  pattern: string;
}

/** What an erasure finds, or found. */
export interface SubjectFindings {
  /** Rows by table. */
  stores: Record<string, number>;
  /** Rows that name the person and stay, with why, by table. */
  kept: Record<string, number>;
  /** Resources whose spec names the person: their rows follow the spec, which is changed on the Kubernetes API. */
  resources: Naming[];
  /** Sends that keep their words until their outcome is known. */
  pending: number;
}

/** A subject whose names are known. */
export interface Subject {
  /** What the person is recognised by when they come back, everywhere. */
  identities: string[];
  /** Proofs of the named record that records elsewhere show on somebody else: they count in its workspace alone. */
  doubted: string[];
  /** Workspaces that hold something of the person, in order. */
  workspaces: string[];
  /** By what workspaces know the person in records of their own: each bars them there alone. */
  own: { workspaceId: string; identities: string[] }[];
  /** Regular expression of the person's addresses, for texts; null: none. */
  pattern: string | null;
  /** Other leads that bear a name or a number of the person where the person is known: nobody knows whom a text there means. */
  namesakes: number;
  /** One for all workspaces, then one for each workspace that knows further names. */
  parts: Part[];
}

interface Part {
  workspaceId: string | null;
  mails: string[];
  profiles: string[];
  leads: string[];
  /** What finds the person in prose; null: nothing. */
  prose: string | null;
  /** app.erasure_subject in its text form: what it finds stays what was found. */
  row: string;
  /** Of a workspace's own names: what is about the person there, and what of it the part for all does not have. */
  ofPerson?: { all: string; beyond: string };
}

interface LeadRow {
  id: string;
  workspace_id: string | null;
  full_name: string;
  company: string;
  email: string | null;
  profile_url: string;
  phone: string | null;
}

/**
 * Finds a person by a name and by what the records say that stand for them: of a record of the shared pool every address counts
 * everywhere, and of a lead that is named by its id what no record elsewhere shows on somebody else (`proofsElsewhere`); an address that
 * stands beside it in a workspace's own record counts there alone, so that no workspace decides who is erased elsewhere. What people
 * are called, and their numbers, count in prose of those workspaces alone that hold something of the person (`spokenPattern` says how).
 * For a platform transaction.
 * @returns null when `leadId` is no lead
 */
export async function findSubject(tx: Tx, name: SubjectName): Promise<Subject | null> {
  const named = await namedLead(tx, name.leadId);
  if (name.leadId !== undefined && !named) return null;
  const asked = { fullName: '', company: '', email: name.email ?? null, profileUrl: name.profileUrl ?? '' };
  const { counted: given, doubted } = named
    ? await countedElsewhere(tx, named.workspaceId, named)
    : { counted: asked, doubted: [] };
  const leads = named ? [named.id] : [];
  // The network's ids of a record whose profile is in doubt may be those of somebody else.
  const isSure = doubted.length === 0;
  const first = await findPart(tx, null, namesOf([given]), leads, isSure);
  const found = await leadsOf(tx, first.leads);
  const shared = found.filter((lead) => lead.workspace_id === null);
  const everywhere = namesOf([given, ...shared.map(identifiable)]);
  const whole = isMore(everywhere, namesOf([given])) ? await findPart(tx, null, everywhere, leads, isSure) : first;
  const all = await leadsOf(tx, whole.leads);
  const pattern = aliasPattern({ ...everywhere, ids: [] });
  const parts: Part[] = [{ workspaceId: null, ...everywhere, leads, prose: null, row: whole.row }];
  const inWorkspaces: Subject['own'] = [];
  let namesakes = 0;
  const holders = await byWorkspace(tx, all);
  for (const [workspaceId, known] of holders) {
    const own = known.filter((lead) => lead.workspace_id !== null);
    if (own.length > 0)
      inWorkspaces.push({ workspaceId, identities: [...new Set(own.map(identifiable).flatMap(identitiesOf))] });
    const names = namesOf(own.map(identifiable));
    const more = {
      mails: names.mails.filter((mail) => !everywhere.mails.includes(mail)),
      profiles: names.profiles.filter((profile) => !everywhere.profiles.includes(profile)),
    };
    const spoken = spokenOf(known);
    const others = await bearers(tx, workspaceId, spoken, whole.leads);
    namesakes += others.names.length;
    const prose = others.names.length > MOST_BEARERS ? null : spokenPattern(spoken, others);
    const ids = own.map((lead) => lead.id);
    if (more.mails.length + more.profiles.length > 0) {
      const part = await findPart(tx, workspaceId, more, ids);
      const ofPerson = await ofPersonIn(tx, part.row, whole.row);
      parts.push({ workspaceId, ...more, leads: ids, prose: null, row: part.row, ofPerson });
    }
    if (prose === null) continue;
    const row = await proseRow(tx, workspaceId, whole.row, { pattern: prose, needles: spokenNeedles(spoken) });
    parts.push({ workspaceId, mails: [], profiles: [], leads: ids, prose, row });
  }
  const identities = [
    ...leads.map((id) => `lead:${id}`),
    ...[given, ...shared.map(identifiable)].flatMap(identitiesOf),
  ];
  return {
    identities: [...new Set(identities)],
    doubted,
    workspaces: [...holders.keys()],
    own: inWorkspaces,
    pattern,
    namesakes,
    parts,
  };
}

/** Whether a text names the person, by an address or by what they are called where they are known. */
export function isNamedIn(text: string, { pattern, parts }: Subject): boolean {
  return [pattern, ...parts.map((part) => part.prose)].some((one) => one !== null && new RegExp(one, 'i').test(text));
}

const COUNT_OF = 'app.count_erasable';
/** Rows about the person that the part for all has are counted there. */
const COUNTED_ONCE = `
  select ${COUNT_OF}($1::app.erasure_subject, $2) - ${COUNT_OF}($3::app.erasure_subject, $2)
    + ${COUNT_OF}($4::app.erasure_subject, $2) as n`;

/** Counts what an erasure would take, table by table. For a platform transaction. */
export async function countSubject(tx: Tx, subject: Subject): Promise<SubjectFindings> {
  const stores = await overTables(tx, subject, ({ row, ofPerson }, table) =>
    ofPerson === undefined
      ? tx.row<{ n: number }>(`select ${COUNT_OF}($1::app.erasure_subject, $2) as n`, [row, table])
      : tx.row<{ n: number }>(COUNTED_ONCE, [row, table, ofPerson.all, ofPerson.beyond]),
  );
  return { stores, ...(await besides(tx, subject)) };
}

/**
 * Erases a person everywhere, bars that they come back, and certifies it. Where an earlier certificate names all of the person and
 * nothing was found since, it is the answer; else a new one says what this erasure did and which certificates it extends. For a platform
 * transaction.
 */
export async function eraseSubject(
  tx: Tx,
  subject: Subject,
  { id, by, now }: { id: string; by: string; now: number },
): Promise<SubjectFindings & Certified> {
  const [whole] = subject.parts;
  const { identities } = subject;
  const findings = await countSubject(tx, subject);
  const earlier = await earlierCertificates(tx, identities);
  for (const part of subject.parts) await eraseByWorkspace(tx, part, now);
  const persons = await tx.row<{ ids: string[] }>('select ($1::app.erasure_subject).persons as ids', [whole?.row]);
  await overTables(tx, subject, (part, table) =>
    tx.row<{ n: number }>('select app.erase_table($1::app.erasure_subject, $2, $3) as n', [part.row, table, now]),
  );
  const isNew = Object.keys(findings.stores).length > 0;
  const { stores, kept, pending } = findings;
  const certified =
    earlier.whole === undefined || isNew
      ? await certifyErasure(tx, { id, by, now, identities, stores, kept, pending, extends: earlier.ids })
      : earlier.whole;
  await tx.exec('select app.bar_erased($1, $2, $3, $4)', [identities, persons?.ids ?? [], certified.id, now]);
  for (const { workspaceId, identities: known } of subject.own)
    await tx.exec('select app.bar_erased_in($1, $2, $3, $4)', [workspaceId, known, certified.id, now]);
  return { ...findings, ...certified };
}

type NamedLead = Identifiable & { id: string; workspaceId: string | null };

async function namedLead(tx: Tx, leadId: string | undefined): Promise<NamedLead | undefined> {
  if (leadId === undefined) return undefined;
  const row = await tx.row<LeadRow>(
    `select id, workspace_id, full_name, company, email, profile_url, phone from lead where id::text = lower($1)`,
    [leadId],
  );
  return row && { id: row.id, workspaceId: row.workspace_id, ...identifiable(row) };
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

function isMore(all: { mails: string[]; profiles: string[] }, some: { mails: string[]; profiles: string[] }): boolean {
  return all.mails.length > some.mails.length || all.profiles.length > some.profiles.length;
}

function spokenOf(leads: readonly LeadRow[]): SpokenNames {
  const names = leads.map((lead) => lead.full_name).filter((name) => name !== '');
  return { names: [...new Set(names)], phones: [...new Set(leads.flatMap((lead) => lead.phone ?? []))] };
}

/** Which workspaces hold something of which of the leads: their own records, and what they keep on one of the pool. */
const HELD = `
  with l as materialized (select unnest($1::uuid[]) as id)
  select x.workspace_id, x.id as lead_id from lead x join l on l.id = x.id where x.workspace_id is not null
  union
  select r.workspace_id, r.lead_id from run r join l on l.id = r.lead_id
  union
  select o.workspace_id, o.lead_id from lead_overlay o join l on l.id = o.lead_id
  union
  select m.workspace_id, m.lead_id from lead_list_member m join l on l.id = m.lead_id
  union
  select c.workspace_id, c.lead_id from campaign_lead c join l on l.id = c.lead_id
  order by 1, 2`;

function heldBy(tx: Tx, leads: readonly string[]): Promise<{ workspace_id: string; lead_id: string }[]> {
  return tx.rows(HELD, [leads]);
}

async function byWorkspace(tx: Tx, leads: readonly LeadRow[]): Promise<Map<string, LeadRow[]>> {
  const byId = new Map(leads.map((lead) => [lead.id, lead]));
  const own = new Map<string, LeadRow[]>();
  for (const { workspace_id: workspaceId, lead_id: id } of await heldBy(tx, [...byId.keys()])) {
    const lead = byId.get(id);
    if (lead) own.set(workspaceId, [...(own.get(workspaceId) ?? []), lead]);
  }
  return own;
}

/** Where more leads than this bear a name, or one that begins or ends with it, no text is taken to mean one of them. */
const MOST_BEARERS = 100;

/** Who else in a workspace, its records and those of the pool that it holds, bears such a name or number. */
async function bearers(
  tx: Tx,
  workspaceId: string,
  spoken: SpokenNames,
  leads: readonly string[],
): Promise<SpokenNames> {
  const pattern = spokenPattern(spoken);
  if (pattern === null) return { names: [], phones: [] };
  const rows = await tx.rows<{ full_name: string; phone: string | null }>(
    `select x.full_name, x.phone
     from lead x
     where x.erased_at is null
       and x.id <> all ($2::uuid[])
       and (x.full_name ~* $3 or x.phone ~* $3)
       and (
         x.workspace_id = $1
         or x.workspace_id is null and (
           exists (select 1 from lead_overlay o where o.workspace_id = $1 and o.lead_id = x.id)
           or exists (select 1 from lead_list_member m where m.workspace_id = $1 and m.lead_id = x.id)
           or exists (select 1 from campaign_lead c where c.workspace_id = $1 and c.lead_id = x.id)
           or exists (select 1 from run r where r.workspace_id = $1 and r.lead_id = x.id)
         )
       )
     limit ${MOST_BEARERS + 1}`,
    [workspaceId, leads, pattern],
  );
  return { names: rows.map((row) => row.full_name), phones: rows.flatMap((row) => row.phone ?? []) };
}

/** It finds nothing, in PostgreSQL and in JavaScript. */
const NOTHING = '(?=a)b';

interface FoundPart {
  leads: string[];
  row: string;
}

/** Everything about the addresses, as the database finds it now. @param providers texts name the person by ids of networks as well */
async function findPart(
  tx: Tx,
  workspaceId: string | null,
  { mails, profiles }: { mails: string[]; profiles: string[] },
  leads: readonly string[],
  providers = false,
): Promise<FoundPart> {
  const identities = mails.flatMap((mail) => mailIdentity(mail) ?? []);
  const names: Aliases = { mails: [...new Set(identities)], profiles, ids: [] };
  const found = await tx.row<{ leads: string[]; providers: string[]; row: string }>(
    `select (s).leads as leads, s::text as row, array(
       select distinct r.provider_id
       from relation r
       where r.person_id = any ((s).persons) and r.provider_id <> '' and r.provider_id not like 'erased:%'
     ) as providers
     from app.erasure_subject_of($1, $2, $3, $4, $5) s`,
    [workspaceId, mails, mailsPattern(names.mails), profiles, leads],
  );
  if (!found) throw new Error('a function that answers a row answered none');
  const ids = providers ? found.providers : [];
  const wide = { ...names, ids: [...ids, ...found.leads] };
  const row = await withPatterns(tx, found.row, {
    workspaceId,
    accounts: null,
    pattern: aliasPattern({ ...names, ids }),
    wide: aliasPattern(wide),
    needles: aliasNeedles(wide),
    prose: null,
  });
  return { leads: found.leads, row };
}

/** The same person in the prose of a workspace. @param whole the person everywhere */
async function proseRow(
  tx: Tx,
  workspaceId: string,
  whole: string,
  { pattern, needles }: { pattern: string; needles: string[] },
): Promise<string> {
  const found = await tx.row<{ accounts: string[] }>(
    `select (s).accounts as accounts from app.erasure_subject_of($1, '{}', null, '{}', '{}') s`,
    [workspaceId],
  );
  const accounts = found?.accounts ?? [];
  return withPatterns(tx, whole, { workspaceId, accounts, pattern: NOTHING, wide: NOTHING, needles, prose: pattern });
}

interface Patterns {
  workspaceId: string | null;
  /** null: as they are. */
  accounts: string[] | null;
  pattern: string | null;
  wide: string | null;
  needles: string[];
  prose: string | null;
}

async function withPatterns(tx: Tx, subject: string, patterns: Patterns): Promise<string> {
  const { workspaceId, accounts, pattern, wide, needles, prose } = patterns;
  const row = await tx.row<{ row: string }>(
    `select row(
       $2::text, (s).leads, (s).persons, (s).runs, (s).sends, (s).conversations, (s).profiles, (s).mails,
       coalesce($3::text[], (s).accounts), (s).users, $4::text, $5::text, $6::text[], $7::text
     )::app.erasure_subject::text as row
     from (select $1::app.erasure_subject as s) x`,
    [subject, workspaceId, accounts, pattern, wide, needles, prose],
  );
  if (!row) throw new Error('a row was answered none');
  return row.row;
}

/** What is about the person, without texts that name them: of a subject, and what it has beyond another one. */
async function ofPersonIn(tx: Tx, subject: string, whole: string): Promise<{ all: string; beyond: string }> {
  const left = (ids: string): string => `array(select unnest((s).${ids}) except select unnest((w).${ids}))`;
  const rowOf = (of: (ids: string) => string): string => `row(
    (s).workspace_id, ${['leads', 'persons', 'runs', 'sends', 'conversations'].map(of).join(', ')},
    (s).profiles, (s).mails, (s).accounts, (s).users, null, null, null, null
  )::app.erasure_subject::text`;
  const row = await tx.row<{ all: string; beyond: string }>(
    `select ${rowOf((ids) => `(s).${ids}`)} as all, ${rowOf(left)} as beyond
     from (select $1::app.erasure_subject as s, $2::app.erasure_subject as w) x`,
    [subject, whole],
  );
  if (!row) throw new Error('a row was answered none');
  return row;
}

function leadsOf(tx: Tx, ids: readonly string[]): Promise<LeadRow[]> {
  return tx.rows<LeadRow>(
    `select id, workspace_id, full_name, company, email, profile_url, phone
     from lead
     where id = any ($1::uuid[])
     order by id limit 10000`,
    [ids],
  );
}

/** Ends what runs about the person in each workspace, and what belongs to it: app.erase_lead knows how. */
async function eraseByWorkspace(tx: Tx, part: Part, now: number): Promise<void> {
  const leads = await tx.row<{ ids: string[] }>('select ($1::app.erasure_subject).leads as ids', [part.row]);
  const held = await heldBy(tx, leads?.ids ?? []);
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
async function besides(tx: Tx, { parts, pattern, namesakes }: Subject): Promise<Omit<SubjectFindings, 'stores'>> {
  const [whole] = parts;
  const kept: Record<string, number> = {};
  const users = await tx.row<{ n: number }>(`select count(*)::int as n from app_user where email ~* $1`, [pattern]);
  if (users && users.n > 0) kept['app_user'] = users.n;
  const log = await tx.row<{ n: number }>(
    `select count(*)::int as n from audit_event where change ->> 'reason' ~* $1 and not change ? 'reasonHash'`,
    [pattern],
  );
  if (log && log.n > 0) kept['audit_event'] = log.n;
  if (namesakes > 0) kept['namesake'] = namesakes;
  const pending = await tx.row<{ n: number }>(
    `select count(*)::int as n
     from send
     where run_id = any (($1::app.erasure_subject).runs) and state in ('dispatched', 'unknown') and not maybe`,
    [whole?.row],
  );
  const resources = new Map<string, Naming>();
  for (const part of parts)
    for (const one of await namingResources(tx, part)) {
      const before = resources.get(`${one.kind} ${one.id}`);
      const both = [before?.pattern, one.pattern].filter((each) => each !== undefined).join('|');
      resources.set(`${one.kind} ${one.id}`, { ...one, pattern: both });
    }
  return { kept, resources: [...resources.values()], pending: pending?.n ?? 0 };
}

/** In prose a name counts; what a workspace is called is none. */
async function namingResources(tx: Tx, { workspaceId, mails, profiles, prose }: Part): Promise<Naming[]> {
  const names = mails.flatMap((mail) => mailIdentity(mail) ?? []);
  const pattern = prose ?? aliasPattern({ mails: [...new Set(names)], profiles, ids: [] });
  if (pattern === null) return [];
  const rows = await tx.rows<Omit<Naming, 'pattern'>>(
    `select 'Workspace' as kind, id, id as "workspaceId"
     from workspace
     where deleted_at is null
       and ($2::text is null or id = $2)
       and (case when $2::text is null then name || settings::text else settings::text end) ~* $1
     union all
     select 'Campaign', id, workspace_id
     from campaign
     where deleted_at is null
       and ($2::text is null or workspace_id = $2)
       and (title || ' ' || goal || ' ' || description || settings::text) ~* $1
     union all
     select 'Workflow', w.id, w.workspace_id
     from workflow w
     left join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
     where w.deleted_at is null
       and ($2::text is null or w.workspace_id = $2)
       and (w.name || ' ' || coalesce(g.graph::text, '')) ~* $1
     order by 1, 2 limit 1000`,
    [pattern, workspaceId],
  );
  return rows.map((row) => ({ ...row, pattern }));
}
