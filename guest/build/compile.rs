//! Turns a template's syntax tree, which is minijinja's, into a Rust function that writes the rendered text.
//!
//! Rust's compiler checks the rest: a variable is a method of `Variables`, an attribute is a method of its value, and
//! traits say whether a value can be true or shown. Syntax that the built-in templates do not use is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use minijinja::machinery::ast::{
    BinOp, BinOpKind, Call, CallArg, Expr, Macro, Spanned, Stmt, UnaryOpKind,
};
use minijinja::machinery::{Span, parse};
use minijinja::syntax::SyntaxConfig;

/// Why a template cannot be compiled.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is not Jinja2, or includes a template that does not exist.
    Template(minijinja::Error),
    /// It uses syntax that built-in templates may not use.
    Unsupported {
        template: String,
        line: u16,
        what: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(error) => write!(f, "{error}"),
            Self::Unsupported {
                template,
                line,
                what,
            } => write!(
                f,
                "{template}, line {line}: {what} cannot be compiled; write it otherwise, or teach guest/build/compile.rs"
            ),
        }
    }
}

impl std::error::Error for Fault {}

impl From<minijinja::Error> for Fault {
    fn from(error: minijinja::Error) -> Self {
        Self::Template(error)
    }
}

type Trees<'s> = BTreeMap<&'s str, Stmt<'s>>;

/// A function for each template that is rendered or included. Templates whose names begin with `_` are parts of others.
pub(crate) fn compile(sources: &BTreeMap<String, String>) -> Result<String, Fault> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    let mut trees = Trees::new();
    for (name, source) in sources {
        trees.insert(name, parse(source, name, syntax.clone())?);
    }
    let mut wanted: Vec<&str> = trees
        .keys()
        .copied()
        .filter(|name| !name.starts_with('_'))
        .collect();
    let mut done = BTreeSet::new();
    let mut code = String::new();
    while let Some(name) = wanted.pop() {
        if done.insert(name) {
            let mut body = Body {
                trees: &trees,
                template: name,
                macros: BTreeMap::new(),
                locals: Vec::new(),
                within_macro: false,
                included: Vec::new(),
                code: String::new(),
            };
            body.add_all(children(&trees, name))?;
            code.push_str(&function(name, &body.code));
            wanted.append(&mut body.included);
        }
    }
    Ok(code)
}

fn function(template: &str, body: &str) -> String {
    format!(
        "/// Writes what `{template}` renders.\n\
         pub(crate) fn {}(variables: &Variables<'_>, prompt: &mut String) -> Result<(), NoTime> {{\n{body}Ok(())\n}}\n\n",
        function_name(template),
    )
}

fn function_name(template: &str) -> &str {
    template.trim_start_matches('_').trim_end_matches(".j2")
}

fn children<'t, 's>(trees: &'t Trees<'s>, name: &str) -> &'t [Stmt<'s>] {
    match trees.get(name) {
        Some(Stmt::Template(template)) => &template.children,
        _ => &[],
    }
}

/// The function that a template is compiled into, with the macros that it calls.
struct Body<'t, 's> {
    trees: &'t Trees<'s>,
    /// The template whose text is being compiled.
    template: &'s str,
    /// Macros that can be called, and the templates that define them.
    macros: BTreeMap<&'s str, (&'s str, &'t Macro<'s>)>,
    /// Names bound by loops and macros.
    locals: Vec<&'s str>,
    within_macro: bool,
    included: Vec<&'s str>,
    code: String,
}

impl<'t, 's> Body<'t, 's> {
    fn add_all(&mut self, statements: &'t [Stmt<'s>]) -> Result<(), Fault> {
        statements
            .iter()
            .try_for_each(|statement| self.add(statement))
    }

    fn add(&mut self, statement: &'t Stmt<'s>) -> Result<(), Fault> {
        match statement {
            Stmt::EmitRaw(text) => self.line(format_args!("prompt.push_str({:?});", text.raw)),
            Stmt::EmitExpr(emitted) => {
                if let Expr::Call(call) = &emitted.expr
                    && let Expr::Var(callee) = &call.expr
                {
                    return self.add_macro(callee.id, call);
                }
                let shown = self.value(&emitted.expr)?;
                self.line(format_args!("Show::show(&({shown}), prompt)?;"));
            }
            Stmt::IfCond(branch) => {
                let condition = self.condition(&branch.expr)?;
                self.line(format_args!("if {condition} {{"));
                self.add_all(&branch.true_body)?;
                if !branch.false_body.is_empty() {
                    self.line(format_args!("}} else {{"));
                    self.add_all(&branch.false_body)?;
                }
                self.line(format_args!("}}"));
            }
            Stmt::ForLoop(repeated) => {
                if repeated.filter_expr.is_some()
                    || repeated.recursive
                    || !repeated.else_body.is_empty()
                {
                    return Err(self
                        .unsupported(repeated.span(), "a loop with `if`, `else` or `recursive`"));
                }
                let names = self.names(&repeated.target)?;
                let items = self.value(&repeated.iter)?;
                let pattern = match names.as_slice() {
                    [name] => (*name).to_owned(),
                    names => format!("({})", names.join(", ")),
                };
                self.line(format_args!(
                    "for (index, {pattern}) in ({items}).into_iter().enumerate() {{"
                ));
                let outside = self.locals.len();
                self.locals.extend(names);
                self.add_all(&repeated.body)?;
                self.locals.truncate(outside);
                self.line(format_args!("}}"));
            }
            Stmt::Include(include) => {
                let name = self.known_template(&include.name)?;
                if !self.locals.is_empty() || self.within_macro {
                    return Err(
                        self.unsupported(include.span(), "an `include` within a loop or a macro")
                    );
                }
                self.included.push(name);
                self.line(format_args!("{}(variables, prompt)?;", function_name(name)));
            }
            Stmt::FromImport(import) => {
                let from = self.known_template(&import.expr)?;
                for (name, alias) in &import.names {
                    let (Expr::Var(name), None) = (name, alias) else {
                        return Err(self.unsupported(import.span(), "an import under another name"));
                    };
                    let found =
                        children(self.trees, from)
                            .iter()
                            .find_map(|statement| match statement {
                                Stmt::Macro(found) if found.name == name.id => Some(&**found),
                                _ => None,
                            });
                    let found = found.ok_or_else(|| {
                        self.unsupported(import.span(), "the import of what is no macro")
                    })?;
                    self.macros.insert(found.name, (from, found));
                }
            }
            other => return Err(self.unsupported(span(other), "this tag")),
        }
        Ok(())
    }

    /// Inlines the macro's body. Its arguments are all that it sees.
    fn add_macro(&mut self, name: &str, call: &Spanned<Call<'s>>) -> Result<(), Fault> {
        let (template, called) = *self
            .macros
            .get(name)
            .ok_or_else(|| self.unsupported(call.span(), "a call of what is no imported macro"))?;
        if call.args.len() != called.args.len() {
            return Err(self.unsupported(call.span(), "a call that leaves arguments out"));
        }
        self.line(format_args!("{{"));
        let mut names = Vec::new();
        for (parameter, argument) in called.args.iter().zip(&call.args) {
            let (Expr::Var(parameter), CallArg::Pos(argument)) = (parameter, argument) else {
                return Err(self.unsupported(call.span(), "an argument with a name"));
            };
            let argument = self.value(argument)?;
            self.line(format_args!("let {} = {argument};", parameter.id));
            names.push(parameter.id);
        }
        let mut body = Self {
            template,
            macros: BTreeMap::new(),
            locals: names,
            within_macro: true,
            included: Vec::new(),
            code: std::mem::take(&mut self.code),
            trees: self.trees,
        };
        body.add_all(&called.body)?;
        self.code = body.code;
        self.line(format_args!("}}"));
        Ok(())
    }

    /// A Rust expression that is `true` or `false`.
    fn condition(&self, expr: &Expr<'s>) -> Result<String, Fault> {
        Ok(match expr {
            Expr::BinOp(both) if matches!(both.op, BinOpKind::ScAnd | BinOpKind::ScOr) => {
                let sign = if matches!(both.op, BinOpKind::ScAnd) {
                    "&&"
                } else {
                    "||"
                };
                format!(
                    "({} {sign} {})",
                    self.condition(&both.left)?,
                    self.condition(&both.right)?
                )
            }
            Expr::UnaryOp(not) if matches!(not.op, UnaryOpKind::Not) => {
                format!("!{}", self.condition(&not.expr)?)
            }
            Expr::BinOp(both) => self.comparison(both)?,
            Expr::Test(test) if test.name == "none" => {
                format!("({}).is_none()", self.value(&test.expr)?)
            }
            other => format!("Truth::is_true(&({}))", self.value(other)?),
        })
    }

    fn comparison(&self, both: &Spanned<BinOp<'s>>) -> Result<String, Fault> {
        let sign = match both.op {
            BinOpKind::Eq => "==",
            BinOpKind::Ne => "!=",
            BinOpKind::Gt => ">",
            _ => return Err(self.unsupported(both.span(), "this operator")),
        };
        let (left, right) = (self.value(&both.left)?, self.value(&both.right)?);
        Ok(format!("({left}) {sign} ({right})"))
    }

    /// A Rust expression for the value.
    fn value(&self, expr: &Expr<'s>) -> Result<String, Fault> {
        Ok(match expr {
            Expr::Var(var) if self.locals.contains(&var.id) => var.id.to_owned(),
            Expr::Var(var) if self.within_macro => {
                return Err(self.unsupported(
                    var.span(),
                    "a variable in a macro that is none of its arguments",
                ));
            }
            Expr::Var(var) => format!("variables.{}()", var.id),
            Expr::Const(constant) => match (constant.value.as_str(), constant.value.as_i64()) {
                (Some(text), _) => format!("{text:?}"),
                (None, Some(number)) => number.to_string(),
                (None, None) => return Err(self.unsupported(constant.span(), "this constant")),
            },
            Expr::GetAttr(attribute) if is_loop(&attribute.expr) && attribute.name == "index" => {
                "index + 1".to_owned()
            }
            Expr::GetAttr(attribute) => {
                format!("({}).{}()", self.value(&attribute.expr)?, attribute.name)
            }
            Expr::Call(call) if call.args.is_empty() && matches!(call.expr, Expr::GetAttr(_)) => {
                self.value(&call.expr)?
            }
            Expr::Filter(filter) if filter.args.is_empty() => {
                let Some(filtered) = &filter.expr else {
                    return Err(self.unsupported(filter.span(), "this filter"));
                };
                format!("({}).{}()", self.value(filtered)?, filter.name)
            }
            other => return Err(self.unsupported(other.span(), other.description())),
        })
    }

    /// The names that a loop gives to its items.
    fn names(&self, target: &Expr<'s>) -> Result<Vec<&'s str>, Fault> {
        let items = match target {
            Expr::Var(var) => return Ok(vec![var.id]),
            Expr::Tuple(tuple) => &tuple.items,
            Expr::List(list) => &list.items,
            other => return Err(self.unsupported(other.span(), "this target of a loop")),
        };
        let names = items.iter().map(|item| self.names(item));
        Ok(names.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn known_template(&self, name: &Expr<'s>) -> Result<&'s str, Fault> {
        let known = |name: &str| self.trees.keys().copied().find(|known| *known == name);
        let constant = name.as_const();
        constant
            .as_ref()
            .and_then(|name| name.as_str())
            .and_then(known)
            .ok_or_else(|| self.unsupported(name.span(), "a template that is not there"))
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.code, "{line}");
    }

    fn unsupported(&self, span: Span, what: &'static str) -> Fault {
        Fault::Unsupported {
            template: self.template.to_owned(),
            line: span.start_line,
            what,
        }
    }
}

fn is_loop(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Var(var) if var.id == "loop")
}

fn span(statement: &Stmt<'_>) -> Span {
    match statement {
        Stmt::Set(tag) => tag.span(),
        Stmt::SetBlock(tag) => tag.span(),
        Stmt::WithBlock(tag) => tag.span(),
        Stmt::FilterBlock(tag) => tag.span(),
        Stmt::Block(tag) => tag.span(),
        Stmt::Extends(tag) => tag.span(),
        Stmt::Import(tag) => tag.span(),
        Stmt::Macro(tag) => tag.span(),
        Stmt::CallBlock(tag) => tag.span(),
        Stmt::Do(tag) => tag.span(),
        Stmt::AutoEscape(tag) => tag.span(),
        _ => Span::default(),
    }
}
