interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  type?: string | readonly string[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  default?: unknown;
}

/** A JSON schema as a type of TypeScript. @param side of what is answered a field with a preset is always there */
export function typeOf(schema: object, side: 'input' | 'output'): string {
  const of = (one: Schema): string => typeOf(one, side);
  const given = schema as Schema;
  if ('const' in given) return JSON.stringify(given.const);
  if (given.enum) return unionOf(given.enum.map((value) => JSON.stringify(value)));
  const choices = given.anyOf ?? given.oneOf;
  if (choices) return unionOf(choices.map(of));
  if (given.allOf) return given.allOf.map((one) => `(${of(one)})`).join(' & ');
  if (Array.isArray(given.type)) return unionOf(given.type.map((type: string) => of({ ...given, type })));
  switch (given.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return given.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `${grouped(given.items ? of(given.items) : 'unknown')}[]`;
    case 'object':
      return objectOf(given, side);
    default:
      return 'unknown';
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, side: 'input' | 'output'): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isThere = required.includes(name) || (side === 'output' && schema.default !== undefined);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${isThere ? '' : '?'}: ${typeOf(schema, side)}${isThere ? '' : ' | undefined'}`;
  });
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  const values =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? typeOf(additionalProperties, side)
      : 'unknown';
  return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${values}>`;
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function grouped(type: string): string {
  return type.includes(' | ') || type.includes(' & ') ? `(${type})` : type;
}
