import type { Dispatcher } from 'undici';
import { monotonicMs } from '../base/clock.ts';

/** What is known of a request that failed. */
export interface WriteTrace {
  /** It was handed to the socket. */
  written: boolean;
  /** It was abandoned because its deadline had passed. */
  late: boolean;
}

/**
 * Stands between undici and the socket: `onRequestStart` runs in the same turn as the write, so a process that was
 * stopped after its commit finds the deadline passed here and writes nothing. A request that undici would write a second
 * time, on another connection, is abandoned too: the one who asked decides about that.
 */
export function writeGuard(deadline: number | undefined, trace: WriteTrace): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        if (deadline !== undefined && monotonicMs() > deadline) {
          trace.late = true;
          controller.abort(new Error('abandoned: the write deadline had passed'));
          return;
        }
        if (trace.written) {
          controller.abort(new Error('abandoned: it was written before'));
          return;
        }
        trace.written = true;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...parts) => handler.onRequestUpgrade?.(...parts),
      onResponseStart: (...parts) => handler.onResponseStart?.(...parts),
      onResponseData: (...parts) => handler.onResponseData?.(...parts),
      onResponseEnd: (...parts) => handler.onResponseEnd?.(...parts),
      onResponseError: (...parts) => handler.onResponseError?.(...parts),
    });
}
