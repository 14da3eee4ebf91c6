//! Parameters and columns, as the driver has them.

use std::borrow::Cow;
use std::error::Error as StdError;

use myao_sql::session::{Column, Columns, Error, Result, Value};
use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A parameter. Its type is said explicitly, so that the server has nothing to guess.
#[derive(Debug)]
pub(crate) struct Bound<'a>(pub(crate) Value<'a>);

impl Bound<'_> {
    pub(crate) fn type_of(&self) -> Type {
        match self.0 {
            Value::Integer(_) => Type::INT8,
            Value::Real(_) => Type::FLOAT8,
            Value::Text(_) => Type::TEXT,
            Value::Blob(_) => Type::BYTEA,
        }
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self.0 {
            Value::Integer(number) => number.to_sql(kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            Value::Text(text) => text.map(storable).to_sql(kind, out),
            Value::Blob(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A text that PostgreSQL can store. It has no NUL characters: each becomes U+FFFD, so that a message with one is kept like any
/// other, and is found with the same parameter.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{FFFD}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A row of the driver.
pub(crate) struct Fields<'a>(pub(crate) &'a Row);

impl Fields<'_> {
    fn value<'a, T: FromSql<'a>>(
        &'a self,
        index: usize,
        column: impl FnOnce(T) -> Column<'a>,
    ) -> Result<Column<'a>> {
        let value: Option<T> = self
            .0
            .try_get(index)
            .map_err(|error| Error::Value(error.into()))?;
        Ok(value.map_or(Column::Null, column))
    }
}

impl Columns for Fields<'_> {
    fn column(&self, index: usize) -> Result<Column<'_>> {
        let Some(column) = self.0.columns().get(index) else {
            return Err(Error::Column {
                index,
                found: "nothing: the row is shorter".to_owned(),
            });
        };
        match *column.type_() {
            Type::BOOL => self.value(index, |is: bool| Column::Integer(is.into())),
            Type::INT2 => self.value(index, |number: i16| Column::Integer(number.into())),
            Type::INT4 => self.value(index, |number: i32| Column::Integer(number.into())),
            Type::INT8 => self.value(index, Column::Integer),
            Type::OID => self.value(index, |number: u32| Column::Integer(number.into())),
            Type::FLOAT4 => self.value(index, |number: f32| Column::Real(number.into())),
            Type::FLOAT8 => self.value(index, Column::Real),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                self.value(index, Column::Text)
            }
            Type::BYTEA => self.value(index, Column::Blob),
            // The result of a function without one.
            Type::VOID => Ok(Column::Null),
            ref other => Err(Error::Column {
                index,
                found: format!("`{}` of the type {other}", column.name()),
            }),
        }
    }

    fn names(&self) -> Vec<String> {
        let columns = self.0.columns().iter();
        columns.map(|column| column.name().to_owned()).collect()
    }
}
