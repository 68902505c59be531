import { SEEDED } from './seed.ts';
import { LISTED } from './seed-lists.ts';

/** A search that the bounds are promised for. */
export interface Mix {
  name: string;
  criteria: Record<string, unknown>;
}

const { campaignId, bigList, smallList } = SEEDED;
const mix = (name: string, criteria: Record<string, unknown>): Mix => ({ name, criteria });

/** Mixes of filters for leads: common and rare words, alone and together, with what belongs to a workspace. */
export const LEAD_MIXES: readonly Mix[] = [
  mix('everything', {}),
  mix('own leads', { visibility: 'private' }),
  mix('the pool', { visibility: 'shared' }),
  mix('a common word', { query: 'sales' }),
  mix('a common name', { query: 'anna miller' }),
  mix('a rare word', { query: 'quetzal' }),
  mix('a name with an accent', { query: 'anna müller' }),
  mix('a word of nobody', { query: 'xylophone' }),
  mix('beginnings of words', { query: 'chie exec' }),
  mix('one firm by name', { query: 'firm 4711' }),
  mix('a common title', { titles: ['manager'] }),
  mix('a rare title', { titles: ['beekeeper'] }),
  mix('titles of many', { titles: ['vp sales', 'head of growth', 'chief revenue', 'founder', 'beekeeper'] }),
  mix('a title inside a word', { titles: ['ngine'] }),
  mix('a common industry', { industries: ['software'] }),
  mix('a rare industry', { industries: ['shipbuilding'] }),
  mix('a common place', { locations: ['london'] }),
  mix('a rare place', { locations: ['nuuk'] }),
  mix('a country', { locations: ['germany'] }),
  mix('a seniority', { seniorities: ['vp'] }),
  mix('a size', { companySizes: ['51-200'] }),
  mix('an open size', { companySizes: ['10001+'] }),
  mix('a rare keyword', { keywords: ['zeppelin'] }),
  mix('a common keyword', { keywords: ['manager', 'chief'] }),
  mix('mail known', { hasEmail: true }),
  mix('rare with common: title', { titles: ['beekeeper'], industries: ['software'], hasEmail: true }),
  mix('rare with common: place', { locations: ['nuuk'], titles: ['manager'], seniorities: ['manager'] }),
  mix('rare with rare', { locations: ['nuuk'], industries: ['shipbuilding'] }),
  mix('commons that meet rarely', {
    titles: ['vp sales'],
    industries: ['insurance'],
    locations: ['riga'],
    companySizes: ['51-200'],
  }),
  mix('commons that never meet', { titles: ['founder'], seniorities: ['manager'] }),
  mix("common in the pool, none of one's own", { locations: ['finland'] }),
  mix('many titles in many places', {
    titles: ['beekeeper', 'chief of staff', 'legal counsel', 'procurement lead', 'chief revenue'],
    locations: ['nuuk', 'reykjavik', 'valletta'],
    industries: ['mining', 'aviation'],
  }),
  mix('words with filters', {
    query: 'chief',
    industries: ['healthcare'],
    locations: ['paris', 'france'],
    hasEmail: true,
  }),
  mix('own words with filters', {
    visibility: 'private',
    query: 'anna',
    titles: ['sales'],
    companySizes: ['11-50', '51-200'],
  }),
  mix('a common tag', { tags: ['contacted'] }),
  mix('a rare tag', { tags: ['gold'] }),
  mix('two tags', { tags: ['contacted', 'vip'] }),
  mix('a tag and words', { tags: ['vip'], query: 'manager' }),
  mix('a tag, words and a score', { tags: ['contacted'], query: 'sales', campaignId, minScore: 60 }),
  mix('a score', { campaignId, minScore: 50 }),
  mix('a high score and a rare title', { campaignId, minScore: 98, titles: ['beekeeper'] }),
  mix('a big list and a place', { leadListId: bigList, locations: ['oslo'] }),
  mix('a small list', { leadListId: smallList }),
];

/** Searches for companies. */
export const COMPANY_MIXES: readonly Mix[] = [
  mix('every company', {}),
  mix('companies by name', { query: 'vanderbilt' }),
  mix('companies by industry', { industries: ['shipbuilding'] }),
  mix('companies by size and place', { companySizes: ['11-50'], locations: ['nuuk', 'riga'] }),
  mix('growing companies', { minHeadcountGrowthPct: 70 }),
  mix('funded companies', { fundedSince: '2023-11-14T23:00:00Z', industries: ['software'] }),
];

const list = (tool: string, name: string, criteria: Record<string, unknown> = {}): Mix & { tool: string } => ({
  tool,
  ...mix(name, criteria),
});
const { workflowId, conversationId, accountId } = LISTED;

/** Pages of lists that grow with the use of a workspace. */
export const LIST_MIXES: readonly (Mix & { tool: string })[] = [
  list('svc_list_lead_lists', 'lists'),
  list('svc_get_lead_list', 'a big list', { leadListId: bigList }),
  list('svc_list_company_leads', 'leads of a company', { companyId: SEEDED.companyId }),
  list('svc_list_campaigns', 'campaigns'),
  list('svc_list_icps', 'ICPs'),
  list('svc_list_workflows', 'workflows'),
  list('svc_list_workflow_runs', 'runs of the workspace'),
  list('svc_list_workflow_runs', 'runs of a workflow', { workflowId }),
  list('svc_list_workflow_runs', 'rare runs of a workflow', { workflowId, state: 'failed' }),
  list('svc_list_workflow_runs', 'rare runs of the workspace', { state: 'failed' }),
  list('svc_list_leads_at_node', 'leads at a node', { workflowId, nodeId: 'wait' }),
  list('svc_list_leads_at_node', 'leads at a rare node', { workflowId, nodeId: 'rare' }),
  list('svc_list_review_items', 'drafts to review'),
  list('svc_list_review_items', 'reviewed drafts', { state: 'approved', workflowId }),
  list('svc_list_notifications', 'notifications'),
  list('svc_list_notifications', 'unread notifications', { unreadOnly: true }),
  list('svc_list_notifications', 'rare notifications', { kinds: ['low_credits'] }),
  list('svc_list_credit_transactions', 'credit entries'),
  list('svc_list_credit_transactions', 'rare credit entries', { action: 'rare' }),
  list('svc_list_credit_transactions', 'rare kind of a campaign', { kind: 'refund', campaignId }),
  list('svc_list_conversations', 'conversations'),
  list('svc_list_conversations', 'unread conversations', { unreadOnly: true }),
  list('svc_list_conversations', 'rare replies', { replyClass: 'positive' }),
  list('svc_list_conversations', 'conversations of an account', { networkAccountId: accountId }),
  list('svc_list_messages', 'messages', { conversationId }),
  list('svc_list_signals', 'signals'),
  list('svc_list_signals', 'rare signals', { types: ['funding_round'] }),
  list('svc_list_signals', 'signals of a campaign', { campaignId }),
];
