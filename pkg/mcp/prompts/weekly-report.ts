import { inWorkspace, type Prompt, workspaceArgument } from './prompt.ts';

export const weeklyReport: Prompt = {
  name: 'weekly_report',
  title: 'Weekly report',
  description: 'What the campaigns did, what came back, what stands still and why; fit to be sent to a client.',
  arguments: [
    {
      name: 'campaignId',
      description: 'Only this campaign; absent: all active ones.',
      required: false,
      completes: 'campaign',
    },
    workspaceArgument,
  ],
  text: (given) => `Write the weekly report${inWorkspace(given)} on ${
    given['campaignId'] ? `the campaign "${given['campaignId']}"` : 'every active campaign (svc_list_campaigns)'
  }.

1. svc_get_campaign_stats per campaign: contacted, accepted, replied, meetings; compare with the week before where the figures allow it.
2. svc_list_workflows and svc_get_workflow_stats: where leads wait, and for what.
3. svc_list_conversations: replies that nobody answered.
4. svc_diagnose: what blocks, and the tool that mends it.
5. svc_get_credit_balance: what was used and what is left.
Write half a page: the three figures that matter, what changed, what needs a decision from me. Use only figures that a tool returned and name the tool behind each; say so where a figure is missing.`,
};
