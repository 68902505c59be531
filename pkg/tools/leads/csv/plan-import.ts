import { matchKeys, type PersonForms, personForms, samePerson } from '../../../domain/same-person.ts';
import type { ImportExclusion } from '../../../store/leads/import-exclusions.ts';
import type { ExistingLead, ImportLead } from '../../../store/leads/imports.ts';

/** What an import will do. */
export interface ImportPlan {
  create: ImportLead[];
  /** Rows for leads that are there; `id` is the lead's. */
  merge: ImportLead[];
  /** Every lead that the file names, by line. */
  leadIds: string[];
  problems: Note[];
  /** What of a row was left out; it skips none. */
  notes: Note[];
  /** Leads that the file says must not be contacted, those of skipped rows too. */
  exclusions: ImportExclusion[];
}

interface Note {
  row: number;
  field: string | null;
  message: string;
}

/** A lead that is known so far; `line` is null for one of the database. */
interface Known {
  id: string;
  line: number | null;
  forms: PersonForms[];
}

/** Who a row is: somebody known, somebody new, or a contradiction. */
type Match =
  | { known: Known }
  | { apart: Known }
  | { problem: string; field: string | null; met: readonly Known[] }
  | null;

/**
 * Decides row by row who is new and who is there, against the database and earlier rows of the file, by the rule
 * `samePerson`. Pure.
 */
export function planImport(
  rows: readonly ImportLead[],
  existing: readonly ExistingLead[],
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite',
): ImportPlan {
  return new ImportPlanner(onDuplicate).plan(rows, existing);
}

/** As `planImport`, for a file in parts: it knows the rows of the parts before. */
export class ImportPlanner {
  readonly #onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  readonly #people = new People();
  /** Leads that a row of the file names already, and the line of the first. */
  readonly #named: Map<string, number>;
  /** Those that rows named which this planner did not see. */
  readonly #before: ReadonlyMap<string, number>;

  /** @param before leads that rows of slices before this planner's name, and the line of the first: they are in the database */
  constructor(onDuplicate: 'skip' | 'fill_empty' | 'overwrite', before: ReadonlyMap<string, number> = new Map()) {
    this.#onDuplicate = onDuplicate;
    this.#before = before;
    this.#named = new Map(before);
  }

  /** Leads that the rows so far name, and the line of the first. */
  named(): ReadonlyMap<string, number> {
    return this.#named;
  }

  /** @param existing leads that may be the same persons as these rows */
  plan(rows: readonly ImportLead[], existing: readonly ExistingLead[]): ImportPlan {
    const people = this.#people;
    for (const lead of existing) {
      const facts = {
        fullName: lead.full_name,
        company: lead.company,
        companyDomain: lead.company_domain,
        email: lead.email ?? '',
        profileUrl: lead.profile_url,
      };
      people.learn(personForms(facts), people.byId(lead.id) ?? { id: lead.id, line: null, forms: [] });
    }
    const plan: ImportPlan = { create: [], merge: [], leadIds: [], problems: [], notes: [], exclusions: [] };
    for (const row of rows) this.#place(row, plan);
    return plan;
  }

  /** Decides about one row. */
  #place(given: ImportLead, plan: ImportPlan): void {
    const people = this.#people;
    const forms = formsOf(given);
    const match = people.find(forms);
    if (match && 'problem' in match) {
      plan.problems.push({ row: given.line, field: match.field, message: match.problem });
      for (const { id } of match.met) exclude(plan, id, given);
      return;
    }
    const apart = match !== null && 'apart' in match ? match.apart : null;
    const row = apart === null ? given : withoutMail(given);
    if (apart !== null) {
      plan.notes.push({ row: row.line, field: 'email', message: sharedMail(apart) });
      exclude(plan, apart.id, given);
    }
    const met = match !== null && 'known' in match ? match.known : null;
    const known = met ?? { id: row.id, line: row.line, forms: [] };
    people.learn(apart === null ? forms : formsOf(row), known);
    const problem = met === null ? null : this.#reasonToSkip(met);
    if (problem !== null) plan.problems.push({ row: row.line, field: null, message: problem });
    else if (met === null) plan.create.push(row);
    else plan.merge.push({ ...row, id: known.id });
    exclude(plan, known.id, row);
    if (!this.#named.has(known.id)) plan.leadIds.push(known.id);
    if (!this.#named.has(known.id)) this.#named.set(known.id, row.line);
  }

  #reasonToSkip({ id, line }: Known): string | null {
    const first = line ?? this.#before.get(id);
    if (first !== undefined) return `the same person as line ${first}`;
    if (this.#named.has(id)) return 'a second row for a lead that is already in the workspace';
    return this.#onDuplicate === 'skip' ? 'already in the workspace (onDuplicate is skip)' : null;
  }
}

function formsOf(row: ImportLead): PersonForms {
  return personForms({ ...row, email: row.email ?? '', profileUrl: row.profileId ?? '' });
}

function exclude(plan: ImportPlan, leadId: string, { exclusion }: ImportLead): void {
  if (exclusion) plan.exclusions.push({ leadId, ...exclusion });
}

/** Two profiles are two people, and an address is one lead's: who came first keeps it. */
function withoutMail(row: ImportLead): ImportLead {
  const alone = { ...row, email: null };
  return { ...alone, matchKeys: matchKeys(formsOf(alone)) };
}

function sharedMail({ line }: Known): string {
  const whose = line === null ? 'another lead' : `line ${line}`;
  return `its mail address is that of ${whose}, which has another profile: imported as a person of their own, without the address`;
}

/** Who is known under which profile, mail address, or key of name and company. */
class People {
  readonly #proofs = new Map<string, Known>();
  readonly #keys = new Map<string, Set<Known>>();
  readonly #byId = new Map<string, Known>();

  byId(id: string): Known | undefined {
    return this.#byId.get(id);
  }

  learn(forms: PersonForms, known: Known): void {
    this.#byId.set(known.id, known);
    known.forms.push(forms);
    for (const key of proofsOf(forms)) if (!this.#proofs.has(key)) this.#proofs.set(key, known);
    for (const key of matchKeys(forms)) {
      const holders = this.#keys.get(key) ?? new Set();
      this.#keys.set(key, holders.add(known));
    }
  }

  find(forms: PersonForms): Match {
    const found = new Set(proofsOf(forms).flatMap((key) => this.#proofs.get(key) ?? []));
    if (found.size > 1) {
      const problem = 'its mail address and its profile belong to two different leads';
      return { problem, field: 'email', met: [...found] };
    }
    for (const known of found) return this.#byProof(forms, known);
    const possible = new Set(matchKeys(forms).flatMap((key) => [...(this.#keys.get(key) ?? [])]));
    // Each record of a person must agree: two profiles of one name are two persons.
    const same = [...possible].filter((known) => known.forms.every((one) => samePerson(one, forms)));
    if (same.length > 1) {
      const problem = 'several leads have this name and company: add a mail address or profile';
      return proofsOf(forms).length > 0 ? null : { problem, field: null, met: same };
    }
    return same[0] ? { known: same[0] } : null;
  }

  /** A mailbox that several people read proves nobody, and no second lead can hold it. */
  #byProof(forms: PersonForms, known: Known): Match {
    const profiles = known.forms.flatMap((one) => one.profile ?? []);
    const other = profiles.length > 0 && forms.profile !== null && !profiles.includes(forms.profile);
    if (other) return { apart: known };
    const samePlace = known.forms.some((one) => one.mail !== null && one.mail === forms.mail);
    if (!forms.sharedMail || !samePlace || known.forms.some((one) => samePerson(one, forms))) return { known };
    const problem = 'its mail address is a shared mailbox that another lead has already';
    return { problem, field: 'email', met: [] };
  }
}

function proofsOf({ profile, mail }: PersonForms): string[] {
  return [...(profile ? [`p:${profile}`] : []), ...(mail ? [`m:${mail}`] : [])];
}
