import { readFile } from 'node:fs/promises';
import type { ExecutorLogin } from '../../pkg/controllers/executor-role.ts';
import { EXECUTOR_ROLE } from '../../pkg/postgres/executor-role.ts';
import { tryLogin } from '../../pkg/postgres/try-login.ts';
import type { Settings } from './settings.ts';

/**
 * The login of executors as their Secret has it. It is tried at the server that the operator itself asks: the executors' address may lead
 * to a pooler, which lets in by a list of its own.
 */
export function executorLogin({
  DATABASE_URL,
  EXECUTOR_DATABASE_URL,
  EXECUTOR_DATABASE_URL_FILE,
}: Pick<Settings, 'DATABASE_URL' | 'EXECUTOR_DATABASE_URL' | 'EXECUTOR_DATABASE_URL_FILE'>): ExecutorLogin {
  return {
    async password() {
      const file = EXECUTOR_DATABASE_URL_FILE;
      const url = file === undefined ? EXECUTOR_DATABASE_URL : (await readFile(file, 'utf8')).trim();
      return url === undefined ? undefined : passwordOf(url);
    },
    opens: (user, password) => tryLogin(DATABASE_URL, { user, password }),
  };
}

/** Of an address that names another role nothing is kept: executors come in by a way of their own. */
function passwordOf(url: string): string | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || decodeURIComponent(address.username) !== EXECUTOR_ROLE) return undefined;
  return address.password === '' ? undefined : decodeURIComponent(address.password);
}
