import { signal } from '@preact/signals';
import { Failure, post } from './http.ts';
import type { Tools } from './tools.gen.ts';

/** A tool of the server. */
export type ToolName = keyof Tools;
/** What a tool takes. */
export type Input<N extends ToolName> = Tools[N]['input'];
/** What a tool answers. */
export type Output<N extends ToolName> = Tools[N]['output'];

/** The workspace that is looked at: calls see it alone, where a record is in several. Null: none is. */
export const callsWithin = signal<string | null>(null);

/** Whether a call said that nobody is signed in any more, or somebody else; the shell asks for it. */
export const signedOut = signal(false);

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The same key for the same deed made again, so that it is done once. */
  key?: string | undefined;
  /** Default: the workspace that is looked at. */
  workspaceId?: string | null | undefined;
  /** As whom; default: whom the page shows as signed in. */
  userId?: string | undefined;
  /** Milliseconds to wait for the answer, where a tool works for long. */
  patienceMs?: number | undefined;
}

/** Calls a tool as the member who is signed in. @throws Failure with the tool's own words */
export async function call<N extends ToolName>(name: N, args: Input<N>, options: CallOptions = {}): Promise<Output<N>> {
  const { key, signal, patienceMs, userId, workspaceId = callsWithin.peek() } = options;
  try {
    const body = {
      name,
      arguments: args,
      ...(key === undefined ? {} : { key }),
      ...(workspaceId === null ? {} : { workspaceId }),
    };
    const { result } = await post<{ result: Output<N> }>('call', body, { signal, patienceMs, userId });
    return result;
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'signed-out' || error.kind === 'somebody-else'))
      signedOut.value = true;
    throw error;
  }
}

/** A new key of a deed. */
export function newKey(): string {
  return crypto.randomUUID();
}
