import { createServer } from 'node:net';
import { z } from 'zod';
import { parseEnv } from '../base/config.ts';
import { UserError } from '../base/errors.ts';

/** An unset variable and an empty one are the same: make exports both. */
function unsetWhenEmpty<T extends z.ZodType>(inner: T): z.ZodPreprocess<T, unknown> {
  return z.preprocess((value) => (value === '' ? undefined : value), inner);
}

const schema = z.object({
  OUTRIDER_HOME: unsetWhenEmpty(z.string().default('.outrider')),
  PORT: unsetWhenEmpty(
    z.coerce
      .number('must be a port number from 1 to 65535, for example PORT=7420')
      .int('must be a whole number')
      .min(1)
      .max(65_535)
      .default(7420),
  ),
  DEMO: unsetWhenEmpty(z.enum(['on', 'off'], 'must be on or off').default('on')),
  OUTRIDER_KUBECONFIG: unsetWhenEmpty(z.string().optional()),
});

/** Settings of `make run`. */
export interface StandaloneSettings {
  home: string;
  port: number;
  demo: boolean;
  /** A given API server instead of the embedded one. */
  kubeconfig: string | undefined;
}

/** Reads the settings. @throws UserError naming what is wrong */
export function readSettings(env: Record<string, string | undefined>): StandaloneSettings {
  const { OUTRIDER_HOME, PORT, DEMO, OUTRIDER_KUBECONFIG } = parseEnv(schema, env);
  return { home: OUTRIDER_HOME, port: PORT, demo: DEMO === 'on', kubeconfig: OUTRIDER_KUBECONFIG };
}

/** Fails early, before anything was started, when the MCP port is taken. @throws UserError */
export function requireFreePort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cause = error.code === 'EADDRINUSE' ? 'is used by another program' : `can't be opened (${error.code})`;
      reject(
        new UserError(`Port ${port} ${cause}. Choose another one, for example: make run PORT=${port + 1}`, 'PortInUse'),
      );
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
