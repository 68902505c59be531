import type { AiWriter } from '../../providers/ai/ai-writer.ts';
import { ownWriter } from '../../providers/ai/own-writer.ts';
import { readAiEndpoint } from '../../store/integrations/own-endpoints.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Outside } from './outside.ts';

/** Who writes for the workspace of this executor. */
export interface CallWriter {
  writer: AiWriter;
  /** Of the workspace's own model: its health is told of by each call. */
  integration: { integrationId?: string };
}

/** The workspace's own language model where one is connected, else the platform's writer. @throws CallError `auth` */
export async function callWriter({
  claim,
  workspaceId,
  outside,
}: EngineDeps & { outside: Outside }): Promise<CallWriter> {
  const own = await claim.tx((tx) => readAiEndpoint(tx, workspaceId));
  if (!own) return { writer: outside.writer, integration: {} };
  return { writer: ownWriter(own, outside), integration: { integrationId: own.id } };
}
