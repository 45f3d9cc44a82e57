within ;
package Entrain "Parts of mechanical systems and vehicles"
end Entrain;
