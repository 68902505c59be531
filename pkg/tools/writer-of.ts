import { messageOf, UserError } from '../base/errors.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import { ownWriter } from '../providers/ai/own-writer.ts';
import { CallError } from '../providers/call-error.ts';
import { readAiEndpoint } from '../store/integrations/own-endpoints.ts';
import type { ToolContext } from './tool-context.ts';

/**
 * Who writes for a workspace: its own language model where one is connected, else the platform's writer.
 * @throws UserError where the own one can't be reached with what is stored
 */
export async function writerOf(ctx: ToolContext, workspaceId: string): Promise<AiWriter> {
  const own = await ctx.tx((tx) => readAiEndpoint(tx, workspaceId));
  if (!own) return ctx.ai;
  const { sealer, reachOf = () => 'public' as const } = ctx.connections ?? {};
  try {
    return ownWriter(own, { sealer, reachOf });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new UserError(`No text was written: ${messageOf(error)}.`, 'WriterRefuses');
  }
}
