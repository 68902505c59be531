import { createLogger } from '../../pkg/base/log.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { readSettings } from '../../pkg/standalone/settings.ts';
import { startFailure, startStandalone } from '../../pkg/standalone/standalone.ts';

/** `make run`: everything in one process tree on one machine, nothing to install. */
const log = createLogger('standalone', process.env['LOG_LEVEL'] ?? 'warn');
const shutdown = new Shutdown(log);
shutdown.onSignals();
let ending = false;
/** What cannot be mended while running ends the program in order, with a sentence and an exit code. */
function end(error: Error): void {
  if (ending || shutdown.signal.aborted) return;
  ending = true;
  console.error(`Outrider stops: ${error.message}`);
  void shutdown.run().finally(() => process.exit(1));
}
try {
  await startStandalone(readSettings(process.env), log, shutdown, end);
} catch (error) {
  if (!shutdown.signal.aborted) console.error(startFailure(error, process.env['OUTRIDER_HOME'] || '.outrider'));
  await shutdown.run();
  process.exit(1);
}
