//! Files of llama.cpp (<https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>): fields with names, and tensors.
//!
//! Everything before the tensors is read at once, a tensor when it is asked for.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::blocks::Blocks;
use super::fault::{Fault, unfit};

/// Kinds of values.
const BYTES_OF_KIND: [Option<usize>; 13] = {
    let (one, two, four, eight) = (Some(1), Some(2), Some(4), Some(8));
    // Texts and lists have no fixed length.
    [
        one, one, two, two, four, four, four, one, None, None, eight, eight, eight,
    ]
};
const TEXT: usize = 8;
const LIST: usize = 9;
/// Tensors begin at multiples of it, unless the file says otherwise.
const ALIGNMENT: u64 = 32;
/// No text of a field is longer, not even a template of a chat.
const LONGEST_TEXT: u64 = 1 << 20;

/// The value of a field.
enum Value {
    /// A number or a truth value, little-endian.
    Number([u8; 8]),
    Text(Vec<u8>),
    Texts(Texts),
    /// A list of numbers, little-endian.
    Numbers(Vec<u8>),
}

/// A list of texts, one after the other.
#[derive(Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.bytes.get(start..*self.ends.get(index)?)
    }
}

/// A table of numbers in the file.
#[derive(Clone, Copy)]
pub(crate) struct Tensor {
    blocks: Blocks,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    offset: u64,
}

/// The same, in memory.
pub(crate) struct Table {
    blocks: Blocks,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Table {
    /// Its numbers, row by row.
    pub(crate) fn numbers(&self, numbers: &mut Vec<f32>) {
        numbers.clear();
        self.blocks.read(&self.bytes, numbers);
    }
}

/// A file.
pub(crate) struct Gguf {
    file: File,
    fields: HashMap<String, Value>,
    tensors: HashMap<String, Tensor>,
}

impl Gguf {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path)?;
        let mut reader = Reader(BufReader::with_capacity(1 << 16, file));
        if reader.bytes::<4>()? != *b"GGUF" {
            return unfit("it is no GGUF file");
        }
        let version = u32::from_le_bytes(reader.bytes()?);
        if !(2..=3).contains(&version) {
            return unfit(format!("it is GGUF of version {version}; 3 is known"));
        }
        let (tensor_count, field_count) = (reader.whole()?, reader.whole()?);
        let mut fields = HashMap::new();
        for _ in 0..field_count {
            let name = reader.name()?;
            fields.insert(name, reader.value()?);
        }
        let mut tensors = HashMap::new();
        for _ in 0..tensor_count {
            let name = reader.name()?;
            let tensor = reader.tensor(&name)?;
            tensors.insert(name, tensor);
        }
        let start = reader.0.stream_position()?;
        let mut gguf = Self {
            file: reader.0.into_inner(),
            fields,
            tensors,
        };
        let alignment = match gguf.fields.contains_key("general.alignment") {
            true => gguf.whole("general.alignment")?.max(1),
            false => ALIGNMENT,
        };
        let start = start.next_multiple_of(alignment);
        for tensor in gguf.tensors.values_mut() {
            tensor.offset = tensor.offset.saturating_add(start);
        }
        Ok(gguf)
    }

    pub(crate) fn whole(&self, name: &str) -> Result<u64, Fault> {
        match self.fields.get(name) {
            Some(Value::Number(bytes)) => Ok(u64::from_le_bytes(*bytes)),
            _ => unfit(format!("it has no {name}")),
        }
    }

    pub(crate) fn size(&self, name: &str) -> Result<usize, Fault> {
        usize::try_from(self.whole(name)?).or_else(|_| unfit(format!("{name} is too large")))
    }

    pub(crate) fn real(&self, name: &str) -> Result<f32, Fault> {
        let [a, b, c, d, ..] = self.whole(name)?.to_le_bytes();
        Ok(f32::from_le_bytes([a, b, c, d]))
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, Fault> {
        match self.fields.get(name) {
            Some(Value::Text(bytes)) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            _ => unfit(format!("it has no {name}")),
        }
    }

    pub(crate) fn take_texts(&mut self, name: &str) -> Result<Texts, Fault> {
        match self.fields.remove(name) {
            Some(Value::Texts(texts)) => Ok(texts),
            _ => unfit(format!("it has no {name}")),
        }
    }

    /// A list of numbers of four bytes each.
    pub(crate) fn numbers(&self, name: &str) -> Result<impl Iterator<Item = [u8; 4]>, Fault> {
        match self.fields.get(name) {
            Some(Value::Numbers(bytes)) => Ok(bytes.as_chunks().0.iter().copied()),
            _ => unfit(format!("it has no {name}")),
        }
    }

    pub(crate) fn tensor(&self, name: &str) -> Result<Tensor, Fault> {
        match self.tensors.get(name) {
            Some(tensor) => Ok(*tensor),
            None => unfit(format!("it has no {name}")),
        }
    }

    /// A tensor of this size.
    pub(crate) fn table(&self, name: &str, rows: usize, columns: usize) -> Result<Table, Fault> {
        let tensor = self.tensor(name)?;
        if (tensor.rows, tensor.columns) != (rows, columns) {
            return unfit(format!(
                "{name} is {} by {} instead of {rows} by {columns}",
                tensor.rows, tensor.columns
            ));
        }
        let mut bytes = vec![0; tensor.blocks.bytes(columns) * rows];
        self.file.read_exact_at(&mut bytes, tensor.offset)?;
        Ok(Table {
            blocks: tensor.blocks,
            columns,
            rows,
            bytes,
        })
    }

    /// The numbers of such a tensor.
    pub(crate) fn numbers_of(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Vec<f32>, Fault> {
        let mut numbers = Vec::new();
        self.table(name, rows, columns)?.numbers(&mut numbers);
        Ok(numbers)
    }

    /// Appends one row of a tensor, of which the rest is not read.
    pub(crate) fn read_row(
        &self,
        tensor: &Tensor,
        row: u64,
        numbers: &mut Vec<f32>,
    ) -> std::io::Result<()> {
        let mut bytes = vec![0; tensor.blocks.bytes(tensor.columns)];
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let offset = tensor.offset.saturating_add(row.saturating_mul(size));
        self.file.read_exact_at(&mut bytes, offset)?;
        tensor.blocks.read(&bytes, numbers);
        Ok(())
    }
}

/// Reads what is before the tensors.
struct Reader(BufReader<File>);

impl Reader {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn whole(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    /// Appends bytes; memory grows only with what the file has.
    fn append(&mut self, count: u64, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let read = (&mut self.0).take(count).read_to_end(bytes)?;
        match u64::try_from(read) == Ok(count) {
            true => Ok(()),
            false => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
        }
    }

    fn append_text(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let length = self.whole()?;
        if length > LONGEST_TEXT {
            return unfit("one of its texts is too long");
        }
        self.append(length, bytes)
    }

    fn name(&mut self) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        self.append_text(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn kind(&mut self) -> Result<usize, Fault> {
        let kind = u32::from_le_bytes(self.bytes()?);
        Ok(usize::try_from(kind).unwrap_or(usize::MAX))
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let mut bytes = Vec::new();
        match self.kind()? {
            TEXT => {
                self.append_text(&mut bytes)?;
                Ok(Value::Text(bytes))
            }
            LIST => self.list(),
            kind => {
                let size = size_of(kind)?;
                self.append(size, &mut bytes)?;
                bytes.resize(8, 0);
                let number = bytes.first_chunk().copied().unwrap_or_default();
                Ok(Value::Number(number))
            }
        }
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let (kind, count) = (self.kind()?, self.whole()?);
        if kind == TEXT {
            let mut texts = Texts::default();
            for _ in 0..count {
                self.append_text(&mut texts.bytes)?;
                texts.ends.push(texts.bytes.len());
            }
            return Ok(Value::Texts(texts));
        }
        let mut bytes = Vec::new();
        self.append(size_of(kind)?.saturating_mul(count), &mut bytes)?;
        Ok(Value::Numbers(bytes))
    }

    fn tensor(&mut self, name: &str) -> Result<Tensor, Fault> {
        let dimensions = u32::from_le_bytes(self.bytes()?);
        let mut sizes = [1, 1];
        for at in 0..dimensions {
            let size = usize::try_from(self.whole()?).unwrap_or(usize::MAX);
            match sizes.get_mut(usize::try_from(at).unwrap_or(usize::MAX)) {
                Some(known) => *known = size,
                None => return unfit(format!("{name} has {dimensions} dimensions")),
            }
        }
        let [columns, rows] = sizes;
        let blocks = Blocks::of_code(u32::from_le_bytes(self.bytes()?), name)?;
        Ok(Tensor {
            blocks,
            columns,
            rows,
            offset: self.whole()?,
        })
    }
}

/// The bytes of a number.
fn size_of(kind: usize) -> Result<u64, Fault> {
    match BYTES_OF_KIND.get(kind).copied().flatten() {
        Some(bytes) => Ok(u64::try_from(bytes).unwrap_or(u64::MAX)),
        None => unfit(format!("it has values of the unknown kind {kind}")),
    }
}
