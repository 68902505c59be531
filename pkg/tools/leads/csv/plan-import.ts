import type { ExistingLead, ImportLead } from '../../../store/imports.ts';

/** What an import will do. */
export interface ImportPlan {
  create: ImportLead[];
  /** Rows for leads that are there; `id` is the lead's. */
  merge: ImportLead[];
  /** Every lead that the file names, by line. */
  leadIds: string[];
  problems: { row: number; field: string | null; message: string }[];
}

/** A lead that is known so far; `line` is null for one of the database. */
interface Known {
  id: string;
  line: number | null;
  /** It has a profile or a mail address, so that a namesake with others is somebody else. */
  proven: boolean;
}

/** Who a row is: somebody known, somebody new, or a contradiction. */
type Match = { known: Known } | { problem: string; field: string | null } | null;

/**
 * Decides row by row who is new and who is there, against the database and earlier rows of the file: by profile and
 * mail; by name and company only where one of the two sides has neither. Pure.
 */
export function planImport(
  rows: readonly ImportLead[],
  existing: readonly ExistingLead[],
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite',
): ImportPlan {
  const people = new People();
  for (const lead of existing) {
    const identity = {
      profileId: lead.profile_id,
      email: lead.email,
      fullName: lead.full_name,
      companyKey: lead.company_key,
    };
    people.learn(identity, { id: lead.id, line: null, proven: lead.profile_id !== null || lead.email !== null });
  }
  const plan: ImportPlan = { create: [], merge: [], leadIds: [], problems: [] };
  const named = new Set<string>();
  for (const row of rows) {
    const match = people.find(row);
    if (match && 'problem' in match) {
      plan.problems.push({ row: row.line, field: match.field, message: match.problem });
      continue;
    }
    const proven = row.profileId !== null || row.email !== null;
    const known = match?.known ?? { id: row.id, line: row.line, proven };
    people.learn(row, known);
    const problem = match === null ? null : reasonToSkip(match.known, named, onDuplicate);
    if (problem !== null) plan.problems.push({ row: row.line, field: null, message: problem });
    else if (match === null) plan.create.push(row);
    else plan.merge.push({ ...row, id: known.id });
    if (!named.has(known.id)) plan.leadIds.push(known.id);
    named.add(known.id);
  }
  return plan;
}

function reasonToSkip(known: Known, named: ReadonlySet<string>, onDuplicate: string): string | null {
  if (known.line !== null) return `the same person as line ${known.line}`;
  if (named.has(known.id)) return 'a second row for a lead that is already in the workspace';
  return onDuplicate === 'skip' ? 'already in the workspace (onDuplicate is skip)' : null;
}

type Identity = Pick<ImportLead, 'profileId' | 'email' | 'fullName' | 'companyKey'>;

/** Who is known under which profile, mail address, or name and company. */
class People {
  readonly #proofs = new Map<string, Known>();
  readonly #names = new Map<string, Known[]>();

  learn(identity: Identity, known: Known): void {
    for (const key of proofsOf(identity)) {
      if (!this.#proofs.has(key)) this.#proofs.set(key, known);
      known.proven = true;
    }
    const name = nameOf(identity);
    const namesakes = name === null ? undefined : (this.#names.get(name) ?? []);
    if (name === null || namesakes === undefined || namesakes.includes(known)) return;
    this.#names.set(name, [...namesakes, known]);
  }

  find(identity: Identity): Match {
    const proofs = proofsOf(identity);
    const found = new Set(proofs.flatMap((key) => this.#proofs.get(key) ?? []));
    if (found.size > 1) {
      return { problem: 'its mail address and its profile belong to two different leads', field: 'email' };
    }
    for (const known of found) return { known };
    const namesakes = this.#names.get(nameOf(identity) ?? '') ?? [];
    const possible = proofs.length > 0 ? namesakes.filter((known) => !known.proven) : namesakes;
    if (possible.length > 1) {
      const problem = 'several leads have this name and company: add a mail address or profile';
      return proofs.length > 0 ? null : { problem, field: null };
    }
    return possible[0] ? { known: possible[0] } : null;
  }
}

function proofsOf({ profileId, email }: Identity): string[] {
  return [...(profileId ? [`p:${profileId}`] : []), ...(email ? [`m:${email.toLowerCase()}`] : [])];
}

function nameOf({ fullName, companyKey }: Identity): string | null {
  return fullName === '' || companyKey === '' ? null : `${fullName.toLowerCase()}|${companyKey}`;
}
