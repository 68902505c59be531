import type { Refusal, Reply } from '../http.ts';

/** How services say no, each in its own shape; the others say it as the network does. */
const SHAPES: Readonly<Record<string, (refusal: Refusal) => object>> = {
  hubspot: ({ status, message, type }) => ({
    status: 'error',
    message,
    correlationId: '00000000-0000-4000-8000-000000000000',
    category: HUBSPOT_CATEGORIES[status] ?? type.replace('errors/', '').toUpperCase(),
  }),
  pipedrive: ({ status, message }) => ({
    success: false,
    error: message,
    error_info: 'Please check developers.pipedrive.com for more information about Pipedrive API.',
    ...(status === 401 ? { errorCode: 401 } : {}),
  }),
  google: ({ status, message, type }) => {
    const reason = type.replace('errors/', '');
    return { error: { code: status, message, errors: [{ domain: 'global', reason, message }] } };
  },
  salesforce: ({ message, type }) => [{ message, errorCode: type.replace('errors/', '').toUpperCase() }],
};

const HUBSPOT_CATEGORIES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'INVALID_AUTHENTICATION',
  404: 'OBJECT_NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITS',
};

/** A refusal in the service's own shape; undefined: it has none. */
export function refusalOfService(service: string, refusal: Refusal): Reply | undefined {
  const shape = Object.hasOwn(SHAPES, service) ? SHAPES[service] : undefined;
  return shape && { status: refusal.status, body: shape(refusal) };
}
