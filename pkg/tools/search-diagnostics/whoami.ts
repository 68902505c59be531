import { z } from 'zod';
import { tool } from '../tool.ts';

export const whoami = tool({
  name: 'svc_whoami',
  domain: 'Search & Diagnostics',
  title: 'Who am I',
  description:
    "Shows the key's type, scopes, user and workspaces; call it first, and on any scope or workspace error. Next: svc_list_campaigns.",
  example: { input: {} },
  scope: 'none',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({}),
  output: z.object({
    keyType: z.string(),
    keyPrefix: z.string(),
    scopes: z.array(z.string()),
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }).optional(),
    workspaces: z.array(z.object({ workspaceId: z.string(), name: z.string(), role: z.string() })).optional(),
    workspaceId: z.string().optional(),
    workspaceName: z.string().optional(),
  }),
  async run(ctx) {
    const { caller } = ctx;
    const base = {
      keyType: caller.keyType === 'workspace' ? 'workspace' : 'user',
      keyPrefix: caller.keyPrefix,
      scopes: [...caller.scopes],
    };
    const [own] = caller.workspaces;
    if (caller.keyType === 'workspace')
      return { ...base, workspaceId: own?.workspaceId ?? '', workspaceName: own?.name ?? '' };
    const workspaces = caller.workspaces.map(({ workspaceId, name, role }) => ({ workspaceId, name, role }));
    return { ...base, ...(caller.user ? { user: caller.user } : {}), workspaces };
  },
});
