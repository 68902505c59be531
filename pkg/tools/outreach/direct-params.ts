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

/** The address of a post, as the network's application shows it; what it is, its reader says. */
export const postParam = z.string().max(500).meta({ format: 'uri' });

/** The person that an action is for. */
export const personParams = { leadId: z.string().min(1).optional(), profileUrl: profileParam.optional() };
