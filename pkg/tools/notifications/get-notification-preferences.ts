import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { preferencesRecord, readPreferences } from './preferences-view.ts';

export const getNotificationPreferences = tool({
  name: 'svc_get_notification_preferences',
  domain: 'Notifications',
  title: 'Get notification preferences',
  description: 'Reads which event kinds reach the caller by which channel. Next: svc_update_notification_preferences.',
  example: { input: {} },
  scope: 'notifications:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ preferences: preferencesRecord }),
  run: (ctx) => ctx.tx(async (tx) => ({ preferences: await readPreferences(tx, ctx) })),
});
