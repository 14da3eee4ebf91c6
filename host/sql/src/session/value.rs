//! Values that go into statements and come out of rows.

use std::sync::Arc;

use super::{Error, Result};

/// A parameter of a statement. Its type is known even if there is no value.
///
/// Exhaustive on purpose: every engine binds each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// An integer, or a boolean as 0 or 1.
    Integer(Option<i64>),
    /// A number with a fraction.
    Real(Option<f64>),
    /// A text.
    Text(Option<&'a str>),
    /// Bytes.
    Blob(Option<&'a [u8]>),
}

/// A value of a row.
///
/// Exhaustive on purpose: every reader of a column sees all kinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column<'a> {
    /// No value.
    Null,
    /// An integer, or a boolean as 0 or 1.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

impl Column<'_> {
    /// Its type, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "no value",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a number with a fraction",
            Self::Text(_) => "a text",
            Self::Blob(_) => "bytes",
        }
    }

    /// Its bytes; none if it is a number or missing.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Blob(bytes) => bytes,
            _ => &[],
        }
    }
}

/// A type that can be a parameter.
pub trait ToSql {
    /// The value.
    fn to_sql(&self) -> Value<'_>;
}

/// The type of a parameter without a value.
pub trait Typed {
    /// NULL of this type.
    const NULL: Value<'static>;
}

/// A type that can be read from a column.
pub trait FromSql: Sized {
    /// The value; `None` if the column does not fit.
    fn from_sql(column: Column<'_>) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty),+) => { $(
        impl ToSql for $type {
            fn to_sql(&self) -> Value<'_> {
                Value::Integer(Some(i64::from(*self)))
            }
        }
        impl Typed for $type {
            const NULL: Value<'static> = Value::Integer(None);
        }
    )+ };
}
integers!(i64, i32, u32, u8, bool);

macro_rules! from_integers {
    ($($type:ty),+) => { $(
        impl FromSql for $type {
            fn from_sql(column: Column<'_>) -> Option<Self> {
                match column {
                    Column::Integer(number) => Self::try_from(number).ok(),
                    _ => None,
                }
            }
        }
    )+ };
}
from_integers!(i64, i32, u32, u64, u8, usize);

impl FromSql for bool {
    fn from_sql(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Integer(number) => Some(number != 0),
            _ => None,
        }
    }
}

impl ToSql for f64 {
    fn to_sql(&self) -> Value<'_> {
        Value::Real(Some(*self))
    }
}

impl Typed for f64 {
    const NULL: Value<'static> = Value::Real(None);
}

impl FromSql for f64 {
    fn from_sql(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Real(number) => Some(number),
            #[allow(clippy::cast_precision_loss, reason = "as SQL converts it")]
            Column::Integer(number) => Some(number as f64),
            _ => None,
        }
    }
}

impl ToSql for str {
    fn to_sql(&self) -> Value<'_> {
        Value::Text(Some(self))
    }
}

impl Typed for str {
    const NULL: Value<'static> = Value::Text(None);
}

impl ToSql for String {
    fn to_sql(&self) -> Value<'_> {
        Value::Text(Some(self))
    }
}

impl Typed for String {
    const NULL: Value<'static> = Value::Text(None);
}

impl FromSql for String {
    fn from_sql(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl ToSql for Arc<str> {
    fn to_sql(&self) -> Value<'_> {
        Value::Text(Some(self))
    }
}

impl ToSql for Vec<u8> {
    fn to_sql(&self) -> Value<'_> {
        Value::Blob(Some(self))
    }
}

impl Typed for Vec<u8> {
    const NULL: Value<'static> = Value::Blob(None);
}

impl<const N: usize> ToSql for [u8; N] {
    fn to_sql(&self) -> Value<'_> {
        Value::Blob(Some(self))
    }
}

impl FromSql for Vec<u8> {
    fn from_sql(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Blob(bytes) => Some(bytes.to_owned()),
            _ => None,
        }
    }
}

impl<T: ToSql + ?Sized> ToSql for &T {
    fn to_sql(&self) -> Value<'_> {
        (**self).to_sql()
    }
}

impl<T: Typed + ?Sized> Typed for &T {
    const NULL: Value<'static> = T::NULL;
}

impl<T: ToSql + Typed> ToSql for Option<T> {
    fn to_sql(&self) -> Value<'_> {
        self.as_ref().map_or(T::NULL, ToSql::to_sql)
    }
}

impl<T: FromSql> FromSql for Option<T> {
    fn from_sql(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Null => Some(None),
            column => T::from_sql(column).map(Some),
        }
    }
}

/// The parameters of a statement.
pub trait Params {
    /// Calls `work` with the values, in order.
    ///
    /// # Errors
    /// That of `work`.
    fn with<T>(&self, work: &mut dyn FnMut(&[Value<'_>]) -> Result<T, Error>) -> Result<T, Error>;
}

impl Params for &[&dyn ToSql] {
    fn with<T>(&self, work: &mut dyn FnMut(&[Value<'_>]) -> Result<T, Error>) -> Result<T, Error> {
        let values: Vec<Value<'_>> = self.iter().map(|value| value.to_sql()).collect();
        work(&values)
    }
}

impl<P: ToSql, const N: usize> Params for [P; N] {
    fn with<T>(&self, work: &mut dyn FnMut(&[Value<'_>]) -> Result<T, Error>) -> Result<T, Error> {
        work(&self.each_ref().map(ToSql::to_sql))
    }
}

macro_rules! tuples {
    ($($field:ident $name:ident),+) => {
        impl<$($name: ToSql),+> Params for ($($name,)+) {
            fn with<T>(&self, work: &mut dyn FnMut(&[Value<'_>]) -> Result<T, Error>) -> Result<T, Error> {
                let ($($field,)+) = self;
                work(&[$($field.to_sql()),+])
            }
        }
    };
}
tuples!(a A, b B);
tuples!(a A, b B, c C);
tuples!(a A, b B, c C, d D);
tuples!(a A, b B, c C, d D, e E);

impl Params for () {
    fn with<T>(&self, work: &mut dyn FnMut(&[Value<'_>]) -> Result<T, Error>) -> Result<T, Error> {
        work(&[])
    }
}
