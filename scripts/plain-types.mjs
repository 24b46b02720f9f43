/**
 * Declarations without zod: each type that zod computes from a schema is written out, so that a program that imports fettle compiles
 * none of zod's types. Run by the build over the declarations of the compiler, before they are bundled.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

/** Stands for a schema: what is read, and what may be written. */
const SCHEMA = `
export interface Schema<out Output = unknown, out Input = Output> {
    readonly _zod: {
        readonly output: Output;
        readonly input: Input;
    };
    parse(given: unknown): Output;
}
export type Output<T> = T extends Schema<infer Read, unknown> ? Read : never;
export type Input<T> = T extends Schema<unknown, infer Written> ? Written : never;
`
const COMPUTED = new Map([
  ['infer', 'Output'],
  ['output', 'Output'],
  ['input', 'Input'],
])
const { NodeBuilderFlags: How } = ts
const WRITTEN_OUT = How.NoTruncation | How.InTypeAlias | How.MultilineObjectLiterals

/** Rewrites the declarations of a folder; `root` has the packages. */
export function writePlainTypes(folder, root) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.d.ts'))
  const files = names.map(name => join(folder, name))
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, incremental: false }, root)
  const program = ts.createProgram(files, options)
  const shared = join(folder, 'schema-types')
  for (const file of files) writeFileSync(file, rewritten(program.getSourceFile(file), program.getTypeChecker(), shared))
  writeFileSync(`${shared}.d.ts`, SCHEMA)
}

function rewritten(source, checker, shared) {
  const edits = []
  const importOf = (path, name) => {
    const to = relative(dirname(source.fileName), path).replaceAll('\\', '/')
    return `import("${to.startsWith('.') ? to : `./${to}`}.ts").${name}`
  }
  const printer = ts.createPrinter({ removeComments: false })
  const textOf = (type, at) => {
    const node = checker.typeToTypeNode(type, at, WRITTEN_OUT)
    const text = printer.printNode(ts.EmitHint.Unspecified, node, source)
    // The compiler names modules by absolute paths.
    return text.replace(/import\("(\/[^"]+)"\)\.(\w+)/g, (_, path, name) => importOf(path, name))
  }
  const replace = (node, text) => {
    edits.push([node.getStart(source), node.getEnd(), text])
  }
  // Of schemas that are its parameters.
  const generic = new Set(
    source.statements
      .filter(one => ts.isTypeAliasDeclaration(one) && one.typeParameters && uses(one, node => zodNameOf(node, checker) !== null))
      .map(one => one.name.text),
  )
  const isOfGeneric = node => ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) && generic.has(node.typeName.text)
  const visit = node => {
    if (ts.isTypeAliasDeclaration(node) && !node.typeParameters && uses(node.type, isOfGeneric))
      return replace(node.type, textOf(checker.getTypeFromTypeNode(node.type), node))
    const name = zodNameOf(node, checker)
    if (name === null) {
      node.forEachChild(visit)
      return
    }
    const computed = COMPUTED.get(name)
    if (dependsOnParameter(node, checker)) {
      if (computed !== undefined) {
        replace(ts.isImportTypeNode(node) ? node.qualifier : node.typeName, importOf(shared, computed))
        node.typeArguments.forEach(visit)
      }
      return
    }
    const type = checker.getTypeFromTypeNode(node)
    if (computed !== undefined) return replace(node, textOf(type, node))
    const inner = checker.getPropertyOfType(type, '_zod')
    if (inner === undefined) return
    const parts = checker.getTypeOfSymbol(inner)
    const [output, input] = ['output', 'input'].map(key => checker.getPropertyOfType(parts, key))
    if (output === undefined || input === undefined) return
    const types = [output, input].map(one => textOf(checker.getTypeOfSymbol(one), node))
    replace(node, `${importOf(shared, 'Schema')}<${[...new Set(types)].join(', ')}>`)
  }
  visit(source)
  return edits.reduceRight((text, [start, end, replacement]) => text.slice(0, start) + replacement + text.slice(end), source.text)
}

/** The name by which a type of zod is used, or null. */
function zodNameOf(node, checker) {
  if (!ts.isTypeReferenceNode(node) && !ts.isImportTypeNode(node)) return null
  const name = ts.isImportTypeNode(node) ? node.qualifier : node.typeName
  if (name === undefined) return null
  const found = checker.getSymbolAtLocation(ts.isQualifiedName(name) ? name.right : name)
  const from = found?.declarations?.[0]?.getSourceFile().fileName ?? ''
  return /[\\/]node_modules[\\/]zod[\\/]/.test(from) ? (ts.isQualifiedName(name) ? name.right : name).text : null
}

const uses = (node, isMeant) => isMeant(node) || ts.forEachChild(node, child => uses(child, isMeant) || undefined) === true

const dependsOnParameter = (node, checker) =>
  uses(node, one => {
    if (!ts.isTypeReferenceNode(one) || !ts.isIdentifier(one.typeName)) return false
    return ((checker.getSymbolAtLocation(one.typeName)?.flags ?? 0) & ts.SymbolFlags.TypeParameter) !== 0
  })
