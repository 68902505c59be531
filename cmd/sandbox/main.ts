import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { messageOf } from '../../pkg/base/errors.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { startSandbox } from './sandbox.ts';

/** The sandbox as a process: prints one line of JSON with its address when it serves. */
const schema = z.object({
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  SANDBOX_SMTP_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_HOME: z.string().min(1),
  SANDBOX_SEED: z.string().min(1).default('outrider'),
  SANDBOX_API_KEY: z.string().min(8),
  /** Comma-separated host names that webhooks may go to besides this machine's own. */
  SANDBOX_WEBHOOK_HOSTS: z.string().default(''),
  OUTRIDER_CLOCK: z.string().optional(),
  OUTRIDER_PARENT_PIPE: z.string().optional(),
});

const log = createLogger('sandbox');
const shutdown = new Shutdown(log);
shutdown.onSignals();
try {
  const env = parseEnv(schema, process.env);
  const clock = await openProductClock(env.OUTRIDER_CLOCK);
  shutdown.add('clock', () => clock.close());
  const sandbox = await startSandbox({
    clock,
    home: env.SANDBOX_HOME,
    seed: env.SANDBOX_SEED,
    apiKey: env.SANDBOX_API_KEY,
    port: env.SANDBOX_PORT,
    smtpPort: env.SANDBOX_SMTP_PORT,
    host: env.SANDBOX_HOST,
    webhookHosts: env.SANDBOX_WEBHOOK_HOSTS.split(',').filter(Boolean),
    log,
  });
  shutdown.add('server', () => sandbox.stop());
  if (env.OUTRIDER_PARENT_PIPE) {
    // The pipe closes when the parent ends, however it ends.
    process.stdin.resume();
    process.stdin.once('close', () => void shutdown.run().finally(() => process.exit(0)));
  }
  process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);
} catch (error) {
  log.error({ reason: messageOf(error) }, 'the sandbox could not start');
  await shutdown.run();
  process.exit(1);
}
