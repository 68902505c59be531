import type { Database } from '../../postgres/database.ts';
import { exchange } from '../../providers/outside-http.ts';
import { findClient, type SignInClient } from '../../store/sign-in/clients.ts';
import { ClientDocuments, isDocumentId } from './client-documents.ts';
import { OAuthError } from './oauth-error.ts';
import type { SignInServices } from './sign-in-services.ts';

const UNKNOWN =
  'This client is not known here, or was forgotten since nobody used it. Remove it from your chat client and add it again.';

/** Finds clients: those that registered themselves, and those that are known by an address of theirs. */
export class KnownClients {
  readonly #db: Database;
  readonly #documents: ClientDocuments;

  constructor({ db, clocks, ask }: Pick<SignInServices, 'db' | 'clocks' | 'ask'>) {
    this.#db = db;
    this.#documents = new ClientDocuments(ask ?? exchange, clocks.real);
  }

  /** @param personId who is signed in and brought it @throws OAuthError when there is none by that id */
  async of(clientId: string, personId: string): Promise<SignInClient> {
    if (isDocumentId(clientId)) return this.#documents.of(clientId, personId);
    const found = await this.#db.tx({ kind: 'platform' }, (tx) => findClient(tx, clientId));
    if (!found) throw new OAuthError('invalid_client', UNKNOWN);
    return found;
  }
}
