import { withDeadline } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { companyPageId } from '../../domain/watches/watched-search.ts';
import type { NetworkCompany } from '../../providers/network/network-provider.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { readAgent } from '../../store/signals/signal-agents.ts';
import { dueCompanies, type WatchedCompany, watchedCompanies } from '../../store/signals/signal-companies.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { NetworkReader } from '../watches/network-reader.ts';

/** Pages of companies that one run looks at, and that one step does; real ms that a step may take. */
const MOST_COMPANIES = 50;
const AT_ONCE = 2;
const WITHIN_MS = 60_000;

/** What the page of a company showed; `page` null: there is none. */
export interface CompanyLook {
  company: WatchedCompany;
  page: NetworkCompany | null;
}

/** What a part came to. `companies`: those that the run looks at; `counted`: looks; `uncounted`: why it looks at no other. */
export type CompanyScan =
  | { kind: 'companies'; ids: string[] }
  | { kind: 'counted'; looks: CompanyLook[]; left: string[] }
  | { kind: 'uncounted'; why: string };

/**
 * Looks at the pages of the companies whose people an agent may find, each once a week, within the budget of an account: the number of people
 * there tells of growth.
 * @throws ProviderError when the network can not be reached: the step is tried again
 */
export async function scanCompanies(deps: EngineDeps, run: ScheduledRun): Promise<CompanyScan> {
  const { claim, clock } = deps;
  const agent = await claim.tx((tx) => readAgent(tx, run.scheduleId));
  if (!agent) return { kind: 'uncounted', why: 'the agent is gone' };
  if (!agent.signalTypes.includes('headcount_growth'))
    return { kind: 'uncounted', why: 'no type of the agent is told by the number of people' };
  const { workspaceId, campaignId } = agent;
  const planned = companiesLeft(run.cursor);
  if (planned === null) {
    const ids = await claim.tx((tx) => dueCompanies(tx, { workspaceId, campaignId }, clock.now(), MOST_COMPANIES));
    return { kind: 'companies', ids };
  }
  const now = planned.slice(0, AT_ONCE);
  const left = planned.slice(AT_ONCE);
  if (now.length === 0) return { kind: 'uncounted', why: 'the pages of companies that are due were looked at' };
  const companies = await claim.tx((tx) => watchedCompanies(tx, workspaceId, now));
  return withDeadline(WITHIN_MS, claim.signal, async (signal) => {
    const looks: CompanyLook[] = [];
    for (const company of companies) {
      const reader = new NetworkReader(deps, signal, agent.networkAccountId);
      const page = await readPage(reader, company);
      if (reader.stopped !== null && !reader.refused)
        return looks.length === 0 ? { kind: 'uncounted', why: reader.stopped } : { kind: 'counted', looks, left: [] };
      looks.push({ company, page });
    }
    return { kind: 'counted', looks, left };
  });
}

async function readPage(reader: NetworkReader, { profileUrl }: WatchedCompany): Promise<NetworkCompany | null> {
  const publicId = companyPageId(profileUrl);
  if (publicId === null) return null;
  return reader.ask('profile_scrape', (provider, account, asked) => provider.readCompany?.(account, publicId, asked));
}

/** Companies of the run whose pages are still to be looked at; null: nobody chose them yet. */
function companiesLeft({ companies }: JsonObject): string[] | null {
  return Array.isArray(companies) ? companies.map(String) : null;
}
