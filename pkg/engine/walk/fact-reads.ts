import type { Tx } from '../../postgres/database.ts';
import {
  type AccountRow,
  type LeadBasics,
  type LeadRow,
  type RelationRow,
  readAccounts,
  readLeadBasics,
  readLeads,
  readRelations,
} from '../../store/runs/batch-facts.ts';
import type { RunRow } from '../../store/runs/runs.ts';

/** What a batch has read of its persons and accounts. */
export interface Facts {
  leads: LeadBasics[];
  relations: RelationRow[];
  /** Those that the runs have. */
  accounts: AccountRow[];
}

/** Reads what a batch needs of its persons, of each run once; what is begun early is sent with the statements before it. */
export class FactReads {
  readonly #tx: Tx;
  readonly #workspaceId: string;
  readonly #acting = new Set<RunRow>();
  readonly #detailed = new Set<RunRow>();
  readonly #facts: Promise<Facts>[] = [];
  readonly #details: Promise<LeadRow[]>[] = [];

  constructor(tx: Tx, workspaceId: string) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
  }

  /** Begins to read what acting for these runs needs. */
  act(runs: readonly RunRow[]): void {
    const fresh = newOf(runs, this.#acting);
    if (fresh.length > 0) this.#facts.push(heard(this.#read(fresh)));
  }

  /** Begins to read all that is known of the leads of these runs. */
  detail(runs: readonly RunRow[]): void {
    const fresh = newOf(runs, this.#detailed);
    if (fresh.length === 0) return;
    const leadIds = fresh.map((run) => run.leadId);
    const campaignIds = fresh.map((run) => run.campaignId);
    this.#details.push(heard(readLeads(this.#tx, this.#workspaceId, leadIds, campaignIds)));
  }

  /** What was read of all whose reading was begun by {@link act}. */
  async facts(): Promise<Facts> {
    const read = await Promise.all(this.#facts);
    const [first] = read;
    if (first && read.length === 1) return first;
    return {
      leads: read.flatMap((one) => one.leads),
      relations: read.flatMap((one) => one.relations),
      accounts: [...new Map(read.flatMap((one) => one.accounts).map((account) => [account.id, account])).values()],
    };
  }

  /** What was read of all whose reading was begun by {@link detail}. */
  async details(): Promise<LeadRow[]> {
    return (await Promise.all(this.#details)).flat();
  }

  async #read(runs: readonly RunRow[]): Promise<Facts> {
    const [leads, relations, accounts] = await Promise.all([
      readLeadBasics(
        this.#tx,
        runs.map((run) => run.leadId),
      ),
      readRelations(
        this.#tx,
        runs.flatMap((run) => (run.personId ? [run.personId] : [])),
      ),
      readAccounts(this.#tx, this.#workspaceId, [
        ...new Set(runs.flatMap((run) => (run.accountId ? [run.accountId] : []))),
      ]),
    ]);
    return { leads, relations, accounts };
  }
}

/** Those that are not among them yet; they are from now on. */
function newOf(runs: readonly RunRow[], known: Set<RunRow>): RunRow[] {
  return runs.filter((run) => known.size < known.add(run).size);
}

/** The one who awaits it hears of a failure; until then nobody may. */
function heard<T>(read: Promise<T>): Promise<T> {
  read.catch(() => undefined);
  return read;
}
