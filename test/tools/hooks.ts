import { stopTestPostgres } from './postgres.ts';
import { stopSharedApiServer } from './real-api-server.ts';

/** Root hooks of mocha: shared servers of the process end with it. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopSharedApiServer();
    await stopTestPostgres();
  },
};
