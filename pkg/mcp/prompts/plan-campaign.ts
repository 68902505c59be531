import { inWorkspace, type Prompt, workspaceArgument } from './prompt.ts';

export const planCampaign: Prompt = {
  name: 'plan_campaign',
  title: 'Plan a campaign',
  description:
    'From a goal to a draft campaign with an ICP and a validated workflow; nothing is sent before you agree.',
  arguments: [
    { name: 'goal', description: 'What the campaign is to reach, for whom and until when.', required: true },
    { name: 'audience', description: 'Who is to be reached: roles, industries, company sizes.', required: false },
    workspaceArgument,
  ],
  text: (given) => `Plan an outreach campaign${inWorkspace(given)}.

Goal: ${given['goal'] ?? ''}
Audience: ${given['audience'] ?? 'derive it from the goal and ask me where it is not clear'}

Work in this order and show me each result before the next step:
1. svc_whoami and svc_list_campaigns: what this key may do, and whether a similar campaign exists already.
2. svc_create_campaign: it stays a draft.
3. svc_create_icp with titles, industries, seniorities, company sizes and keywords for the audience.
4. svc_get_workflow_node_types, again with nodeTypes for the config hints of those that you use, then write a graph: a connection request, waits of days, at most three messages that each say something new, an exit at every reply.
5. svc_validate_workflow with the graph, and mend what it names; then svc_create_workflow, left disabled.
6. svc_list_network_accounts and svc_get_network_account_budgets: say how many people a day the senders can reach and how long the campaign takes.
Then stop. Ask me before svc_update_workflow_status: enabling it starts sending.`,
};
