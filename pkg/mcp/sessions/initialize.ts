import { INSTRUCTIONS, SESSION_CAPABILITIES, serverInfo } from '../capabilities.ts';
import { RpcError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { sendJson } from '../http-io.ts';
import { narrowingOf } from '../narrowing.ts';
import { negotiate, type RpcMessage } from '../rpc.ts';
import { initializeParams } from './initialize-params.ts';
import type { SessionTokens } from './session-token.ts';

/** Begins a session. @throws RpcError -32600 in a batch, -32602 for what a client leaves out, HttpError 429 when the key opened too many */
export async function initialize(
  { gate, clocks, toolList, version }: MessageServices,
  tokens: SessionTokens,
  { request, response, authenticated }: Exchange,
  messages: readonly RpcMessage[],
): Promise<void> {
  const [message] = messages;
  if (!message || messages.length !== 1) throw new RpcError(-32600, 'initialize can not be part of a batch.');
  if (message.notification) throw new RpcError(-32600, 'initialize needs an id: its answer opens the session.');
  // A name that is none of ours is said as early as can be.
  narrowingOf(request, toolList.known);
  await gate.countSession(authenticated);
  // Counted before: a flood of wrong ones is bounded too.
  const protocolVersion = negotiate(initializeParams(message.params));
  const startedAt = Math.floor(clocks.real.now() / 1_000);
  const token = tokens.issue({ keyId: authenticated.caller.keyId, version: protocolVersion, startedAt });
  const result = {
    protocolVersion,
    capabilities: SESSION_CAPABILITIES,
    serverInfo: serverInfo(version),
    instructions: INSTRUCTIONS,
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
  sendJson(response, 200, text, { 'mcp-session-id': token });
}
