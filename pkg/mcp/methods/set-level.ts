import { RpcError } from '../errors.ts';
import type { Method } from './method.ts';

/** Source: MCP, utilities/logging. */
const LOG_LEVELS: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** `logging/setLevel`: taken and of no effect, since the server sends no log messages: what a caller must know is in the answers. */
export const setLevel: Method = (_services, _context, params) => {
  if (!LOG_LEVELS.includes(params['level'])) {
    throw new RpcError(-32_602, `Unknown log level. Known: ${LOG_LEVELS.join(', ')}.`);
  }
  return '{}';
};
