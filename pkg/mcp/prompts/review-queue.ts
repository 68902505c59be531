import { inWorkspace, type Prompt, workspaceArgument } from './prompt.ts';

export const reviewQueue: Prompt = {
  name: 'review_queue',
  title: 'Review the queue',
  description: 'Goes through the messages that wait for a decision, with the lead and the conversation behind each.',
  arguments: [
    {
      name: 'campaignId',
      description: 'Only items of this campaign.',
      required: false,
      completes: 'campaign',
    },
    workspaceArgument,
  ],
  text: (given) => `Review the messages that wait for a decision${inWorkspace(given)}${
    given['campaignId'] ? ` in the campaign "${given['campaignId']}"` : ''
  }.

1. svc_list_review_items: how many wait, the oldest first.
2. For each: svc_get_review_item for the text and its facts, svc_get_lead for the person; where there was contact before, svc_list_messages.
3. Say in one line each what is good or wrong: a fact that is not in the lead's record, a promise we can not keep, a wrong name, a tone that does not fit, a question that was answered already.
4. Propose approve, edit (with the new text) or reject (with the reason), as a table.
Decide nothing yourself. When I agree: svc_approve_review_item, svc_edit_review_item and svc_reject_review_item, or svc_bulk_decide_review_items for many with the same decision.`,
};
