import type { Exchange } from '../exchange.ts';
import type { RpcMessage } from '../rpc.ts';

/** A request without a session, whose key is known. */
export interface StatelessExchange extends Exchange {
  message: RpcMessage;
}
