import { z } from 'zod';

/** `workspaceId` of tools that no record binds to a workspace. Source: catalog conventions. */
export const workspaceParam = z
  .string()
  .min(1)
  .optional()
  .describe('Optional with a workspace key (defaults to its workspace); required with a user key.');
