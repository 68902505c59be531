import { z } from 'zod';

/** `workspaceId` of tools that no record binds to a workspace. Source: catalog conventions. */
export const workspaceParam = z.string().min(1).optional().describe('Only with a user key.');

/** Parameters of lists that a user key may narrow by campaign instead of naming the workspace. */
export const workspaceOrCampaign = {
  workspaceId: z.string().min(1).optional().describe('With a user key: this or campaignId.'),
  campaignId: z.string().min(1).optional(),
};
