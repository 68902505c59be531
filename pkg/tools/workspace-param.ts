import { z } from 'zod';

/** `workspaceId` of tools that no record binds to a workspace. Source: catalog conventions. */
export const workspaceParam = z
  .string()
  .min(1)
  .optional()
  .describe('Optional with a workspace key (defaults to its workspace); required with a user key.');

/** Parameters of lists that a user key may narrow by campaign instead of naming the workspace. */
export const workspaceOrCampaign = {
  workspaceId: z
    .string()
    .min(1)
    .optional()
    .describe('With a user key pass this or campaignId; with a workspace key both may be omitted.'),
  campaignId: z.string().min(1).optional().describe('Only records of this campaign.'),
};
