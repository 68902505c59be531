import { z } from 'zod';
import { profileParam } from '../identity-params.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Which account acts. */
export const actingParam = {
  workspaceId: workspaceParam,
  networkAccountId: z
    .string()
    .min(1)
    .optional()
    .describe('Acting account; default: the first healthy account linked to the workspace with budget left.'),
};

/** The person that an action is for. */
export const personParams = { leadId: z.string().min(1).optional(), profileUrl: profileParam.optional() };
