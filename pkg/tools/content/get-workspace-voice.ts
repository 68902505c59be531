import { z } from 'zod';
import { readVoice } from '../../store/content/brand-voice.ts';
import { isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { brandIdentityRecord, voiceOf, voiceRecord } from './voice.ts';

export const getWorkspaceVoice = tool({
  name: 'svc_get_workspace_voice',
  domain: 'Content',
  title: 'Get workspace voice',
  description: 'Reads brand identity and voice used for posts and comments. Next: svc_update_brand_identity.',
  example: { input: {} },
  scope: 'content:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ brandIdentity: brandIdentityRecord, voice: voiceRecord, updatedAt: z.string().nullable() }),
  async run(ctx) {
    const voice = await ctx.tx((tx) => readVoice(tx, ctx.workspaceId));
    return { ...voiceOf(voice), updatedAt: isoOrNull(voice.updatedAt) };
  },
});
