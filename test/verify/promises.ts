import ts from 'typescript';

/**
 * No promise floats, and no switch over a closed list forgets a word of it (docs/contributing.md). Biome's rules of these names
 * find what the house declares itself, while one types; they do not know what Node and packages return. This asks the compiler.
 */
const [path = 'tsconfig.json'] = process.argv.slice(2);
const config = ts.getParsedCommandLineOfConfigFile(path, undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
});
if (!config) throw new Error(`no ${path}`);
const program = ts.createProgram(config.fileNames, config.options);
const checker = program.getTypeChecker();

/** Whether somebody has to wait for a value of the type, or hear of its rejection; an array of such values counts. */
function isThenable(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isThenable);
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return false;
  if (checker.isArrayType(type)) return checker.getTypeArguments(type as ts.TypeReference).some(isThenable);
  const then = type.getProperty('then');
  return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0;
}

/** `.catch(…)` and `.then(…, …)` hear of the rejection. */
function isHeard(expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const { name, expression: subject } = expression.expression;
  if (name.text === 'catch') return expression.arguments.length > 0;
  if (name.text === 'then') return expression.arguments.length > 1;
  return name.text === 'finally' && isHeard(subject);
}

function floats({ expression }: ts.ExpressionStatement): boolean {
  if (ts.isVoidExpression(expression) || ts.isAwaitExpression(expression)) return false;
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind >= ts.SyntaxKind.FirstAssignment)
    if (expression.operatorToken.kind <= ts.SyntaxKind.LastAssignment) return false;
  return !isHeard(expression) && isThenable(checker.getTypeAtLocation(expression));
}

/** What callers may take a function for: in a call by each of its overloads, as mocha's hooks have them. */
function wantedTypes(node: ts.Expression): ts.Type[] {
  const { parent } = node;
  const place =
    ts.isCallExpression(parent) || ts.isNewExpression(parent) ? (parent.arguments?.indexOf(node) ?? -1) : -1;
  const given = checker.getContextualType(node);
  if (place < 0) return given ? [checker.getNonNullableType(given)] : [];
  const callee = checker.getTypeAtLocation((parent as ts.CallExpression).expression);
  const overloads = [...callee.getCallSignatures(), ...callee.getConstructSignatures()];
  const parameters = overloads.map((one) => one.parameters[place]).filter((one) => one !== undefined);
  return parameters.flatMap((one) => {
    const type = checker.getTypeOfSymbolAtLocation(one, node);
    return type.isUnion() ? type.types : [type];
  });
}

/** An async function whose caller takes nothing back: its rejection would be lost, or end the process. */
function isMisused(node: ts.ArrowFunction | ts.FunctionExpression): boolean {
  if (!node.modifiers?.some((one) => one.kind === ts.SyntaxKind.AsyncKeyword)) return false;
  const wanted = wantedTypes(node).flatMap((type) => type.getCallSignatures());
  return wanted.length > 0 && wanted.every((one) => one.getReturnType().flags & ts.TypeFlags.Void);
}

/** The words of a closed list (or kinds of a union) for which the switch has neither a case nor a default. */
function forgotten({ expression, caseBlock }: ts.SwitchStatement): string[] {
  if (caseBlock.clauses.some(ts.isDefaultClause)) return [];
  const type = checker.getTypeAtLocation(expression);
  const literals = type.isUnion() ? type.types : [type];
  if (!literals.every((one) => one.flags & ts.TypeFlags.Literal)) return [];
  const cases = caseBlock.clauses.filter(ts.isCaseClause).map((one) => checker.getTypeAtLocation(one.expression));
  return literals.filter((one) => !cases.includes(one)).map((one) => checker.typeToString(one));
}

const found: string[] = [];
for (const file of program.getSourceFiles()) {
  if (file.isDeclarationFile || file.fileName.includes('node_modules')) continue;
  const tell = (node: ts.Node, what: string): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file.fileName}:${line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) && floats(node))
      tell(node, 'await this promise, return it, or hear of its rejection');
    if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && isMisused(node))
      tell(node, 'nobody takes this promise back: deal with its rejection here');
    if (ts.isSwitchStatement(node)) for (const word of forgotten(node)) tell(node, `no case for ${word}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
}
for (const line of found) console.error(line);
if (found.length > 0) process.exit(1);
