import { createLogger } from '../../pkg/base/log.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { readSettings } from '../../pkg/standalone/settings.ts';
import { startFailure, startStandalone } from '../../pkg/standalone/standalone.ts';

/** `make run`: everything in one process tree on one machine, nothing to install. */
const log = createLogger('standalone', process.env['LOG_LEVEL'] ?? 'warn');
const shutdown = new Shutdown(log);
shutdown.onSignals();
try {
  await startStandalone(readSettings(process.env), log, shutdown);
} catch (error) {
  if (!shutdown.signal.aborted) console.error(startFailure(error));
  await shutdown.run();
  process.exit(1);
}
