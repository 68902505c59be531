import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { readWorkspace, workspaceOf, workspaceRecord } from './workspace-row.ts';

export const getWorkspace = tool({
  name: 'svc_get_workspace',
  domain: 'Workspace',
  title: 'Get workspace',
  description: 'Reads workspace details, settings, limits and executor status. Next: svc_list_members.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ workspace: workspaceRecord }),
  async run(ctx) {
    return { workspace: workspaceOf(await ctx.tx((tx) => readWorkspace(tx, ctx.workspaceId))) };
  },
});
