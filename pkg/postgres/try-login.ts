import pg from 'pg';

/** SQLSTATE invalid_password. */
const WRONG_PASSWORD = '28P01';
const TIMEOUT_MS = 5_000;

/**
 * Whether a role gets in with a password; the session ends at once.
 * @param url of the server and the database, with the parameters of the connection; its own login does not matter
 * @throws Error when the server can't be asked, or refuses for any other reason than the password
 */
export async function tryLogin(url: string, login: { user: string; password: string }): Promise<boolean> {
  const address = new URL(url);
  address.username = encodeURIComponent(login.user);
  address.password = encodeURIComponent(login.password);
  const client = new pg.Client({ connectionString: address.href, connectionTimeoutMillis: TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === WRONG_PASSWORD) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
